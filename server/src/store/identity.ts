/**
 * A database belongs to one environment and to the master keys that have sealed something in it, and stores
 * these facts itself. That keeps environments apart even when someone mixes up a folder or an address.
 *
 * For each master key there is a proof: a text sealed with it. A process that lacks one of the keys is
 * refused before it could fail in the middle of its work. `bellhop reseal` removes the proofs of keys that
 * nothing needs any more.
 */
import type { Kysely } from 'kysely';
import { ConfigError } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { masterKeyNamedIn, UNKNOWN_MASTER_KEY } from '../base/sealing/sealed-key.ts';
import type { Vault } from '../base/sealing/vault.ts';
import { refuseIfMoved } from './move-marks.ts';
import type { Schema } from './schema.ts';

/** Its name in the table `meta`. Those of further keys follow it with a colon and the key's id. */
export const PROOF = 'master_key_proof';
const PROOF_ID = 'master key proof';
const PROOF_TEXT = 'opened';

/** `beforeNewKey` may refuse a current key that has not sealed anything in this database yet. */
export async function claimIdentity(
  db: Kysely<Schema>,
  environment: EnvironmentName,
  vault: Vault,
  where: string,
  beforeNewKey: () => Promise<void> = async () => {},
): Promise<void> {
  checkOwner(await keepFirst(db, 'environment', environment), environment, where);
  await refuseIfMoved(db, where);
  await keepFirst(db, PROOF, newProof(vault));
  const proofs = await readProofs(db);
  if (!opensAny(vault, proofs)) {
    throw new ConfigError(
      `${where} was made with another BELLHOP_MASTER_KEY; give the one that it was made with.`,
      'data',
    );
  }
  const missing = missingKey(vault, proofs, where);
  if (missing) throw missing;
  if (proofs.some((proof) => masterKeyIdOfProof(vault, proof) === vault.currentKeyId)) return;
  await beforeNewKey();
  await keepFirst(db, `${PROOF}:${vault.currentKeyId}`, newProof(vault));
}

export function checkOwner(owner: string, environment: EnvironmentName, where: string): void {
  if (owner === environment) return;
  throw new ConfigError(
    `${where} belongs to ${owner} and cannot serve ${environment}: the environments never mix.`,
    'data',
  );
}

/** The id of the vault's master key that sealed this proof; undefined if the vault does not have it. */
export function masterKeyIdOfProof(vault: Vault, proof: string): string | undefined {
  return vault.masterKeyIdOf(PROOF_ID, proof);
}

/** Whether the vault has a master key of the database with these proofs. */
export function opensAny(vault: Vault, proofs: readonly string[]): boolean {
  return proofs.some((proof) => masterKeyIdOfProof(vault, proof) !== undefined);
}

/** The refusal, if the vault has some of the database's master keys but not all. */
export function missingKey(
  vault: Vault,
  proofs: readonly string[],
  where: string,
): ConfigError | undefined {
  const unopened = proofs.find((proof) => masterKeyIdOfProof(vault, proof) === undefined);
  if (unopened === undefined) return undefined;
  return new ConfigError(
    `${where} still needs the master key ${masterKeyNamedIn(unopened)}, which is not given; add it to BELLHOP_PREVIOUS_MASTER_KEYS and run "bellhop reseal" before you drop it.`,
    'data',
  );
}

/** The ids of the master keys that this database needs. */
export async function neededKeys(db: Kysely<Schema>, vault: Vault): Promise<string[]> {
  const proofs = await readProofs(db);
  const ids = proofs.map((proof) => masterKeyIdOfProof(vault, proof) ?? UNKNOWN_MASTER_KEY);
  return [...new Set(ids)];
}

/** Only the vault's current master key is needed from now on. */
export async function needOnlyCurrentKey(db: Kysely<Schema>, vault: Vault): Promise<void> {
  await db.deleteFrom('meta').where('name', 'like', `${PROOF}:%`).execute();
  await db
    .updateTable('meta')
    .set({ value: newProof(vault) })
    .where('name', '=', PROOF)
    .execute();
}

function newProof(vault: Vault): string {
  return vault.seal(PROOF_ID, PROOF_TEXT);
}

async function readProofs(db: Kysely<Schema>): Promise<string[]> {
  const rows = await db
    .selectFrom('meta')
    .select('value')
    .where('name', 'like', `${PROOF}%`)
    .orderBy('name')
    .execute();
  return rows.map(({ value }) => value);
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

/** The environment that the database belongs to. */
export async function readOwner(db: Kysely<Schema>): Promise<string | undefined> {
  const row = await db
    .selectFrom('meta')
    .select('value')
    .where('name', '=', 'environment')
    .executeTakeFirst();
  return row?.value;
}
