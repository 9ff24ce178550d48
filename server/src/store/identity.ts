/**
 * A database belongs to one environment and one master key, and stores both facts itself. That keeps
 * environments apart even when someone mixes up a folder or an address.
 */
import type { Kysely } from 'kysely';
import { ConfigError } from '../config/config.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Vault } from '../vault.ts';
import type { Schema } from './schema.ts';

/** Its name in the table `meta`. */
export const PROOF = 'master_key_proof';
const PROOF_ID = 'master key proof';
const PROOF_TEXT = 'opened';

export async function claimIdentity(
  db: Kysely<Schema>,
  environment: EnvironmentName,
  vault: Vault,
  where: string,
): Promise<void> {
  checkOwner(await keepFirst(db, 'environment', environment), environment, where);
  const proof = await keepFirst(db, PROOF, vault.seal(PROOF_ID, PROOF_TEXT));
  if (!opensProof(vault, proof)) {
    throw new ConfigError(
      `${where} was made with another BELLHOP_MASTER_KEY; give the one that it was made with.`,
    );
  }
}

export function checkOwner(owner: string, environment: EnvironmentName, where: string): void {
  if (owner === environment) return;
  throw new ConfigError(
    `${where} belongs to ${owner} and cannot serve ${environment}: the environments never mix.`,
  );
}

/** Whether a database with this proof was made with the vault's master key. */
export function opensProof(vault: Vault, proof: string): boolean {
  try {
    vault.open(PROOF_ID, proof);
    return true;
  } catch {
    return false;
  }
}

async function keepFirst(db: Kysely<Schema>, name: string, value: string): Promise<string> {
  await db
    .insertInto('meta')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}
