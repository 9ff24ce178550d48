/**
 * Moves every sealed API key, header and private key of one environment to the current master key, in small transactions beside the
 * running server. Nobody notices: the values stay the same, and the nodes open both the old and the new
 * form. Then it overwrites the copies under the old key that the database has in free space. A run that was killed
 * is simply repeated; what is done already is skipped.
 */
import type { Clock } from '../../base/clock.ts';
import { ConfigError, PreconditionFailed } from '../../base/config/config.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import { auditedChange } from '../../store/change.ts';
import type { DirectDatabase } from '../../store/direct/database.ts';
import { claimIdentity, needOnlyCurrentKey } from '../../store/identity.ts';
import { refuseUnlessAllSealWith } from '../../store/master-keys-in-use.ts';
import { allSealed, countByMasterKey } from './needs.ts';
import { overwriteOldCopies } from './overwrite.ts';
import type { SealedEntry } from './sealed-rows.ts';

/** In one transaction: on SQLite, the server's writes wait for it, for a few milliseconds. */
const ROWS_PER_BATCH = 200;
/** Those that support changes during a pass are handled in the next one. */
const MOST_PASSES = 10;

export interface ResealParts {
  database: DirectDatabase;
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
  /** Running processes may wait while a large database is rewritten. */
  mayPause: boolean;
  /** Keys and midoffices looked at so far, out of how many. */
  onProgress(done: number, total: number): void;
}

/** Resolves to the number of keys, and midoffices with headers or a client certificate, that it has sealed again. */
export async function reseal(parts: ResealParts): Promise<number> {
  const { database, environment, vault, clock } = parts;
  const { db } = database;
  await begin(parts);
  let resealed = 0;
  for (let pass = 1; ; pass++) {
    const { moved, missed } = await sealAll(parts);
    resealed += moved;
    if (missed === 0) break;
    if (pass === MOST_PASSES) throw new PreconditionFailed(tooManyChanges(missed));
  }
  // Read again, so that the old key is given up only if nothing needs it.
  const left = await countByMasterKey(db, vault);
  const others = [...left].filter(([id]) => id !== vault.currentKeyId);
  if (others.length > 0) throw new PreconditionFailed(tooManyChanges(others[0]?.[1] ?? 0));
  await overwriteOldCopies(database, parts);
  await auditedChange(db, clock, 'command line', async ({ db: transaction, audit }) => {
    await database.lockMasterKeys(transaction);
    await needOnlyCurrentKey(transaction, vault);
    refuseUnlessAllSealWith(await database.masterKeysInUse(transaction), vault.currentKeyId);
    const after = { master_key: vault.currentKeyId, keys: left.get(vault.currentKeyId) ?? 0 };
    await audit('master_key.reseal', environment, null, after);
  });
  return resealed;
}

/** From here on, no process can start without both the current master key and the earlier ones. */
async function begin({ database, environment, vault }: ResealParts): Promise<void> {
  const { db, where } = database;
  refuseUnlessAllSealWith(await database.masterKeysInUse(), vault.currentKeyId);
  await db.transaction().execute(async (transaction) => {
    await database.lockMasterKeys(transaction);
    await claimIdentity(transaction, environment, vault, where);
    refuseUnlessAllSealWith(await database.masterKeysInUse(transaction), vault.currentKeyId);
  });
}

async function sealAll({ database, vault, onProgress }: ResealParts) {
  const { db } = database;
  let total = 0;
  for (const table of allSealed) total += await table.count(db);
  let done = 0;
  let moved = 0;
  let missed = 0;
  for (const table of allSealed) {
    for await (const entries of table.read(db, ROWS_PER_BATCH)) {
      const writes = entries.flatMap((entry) => openAndSeal(vault, entry) ?? []);
      if (writes.length > 0) {
        await db.transaction().execute(async (transaction) => {
          for (const write of writes) {
            if (await write(transaction)) moved++;
            else missed++;
          }
        });
      }
      done += entries.length;
      onProgress(done, Math.max(done, total));
    }
  }
  return { moved, missed };
}

function openAndSeal(vault: Vault, entry: SealedEntry) {
  try {
    return entry.resealed(vault);
  } catch {
    throw new ConfigError(
      `${entry.name} opens with none of the given master keys; add the one that sealed it to BELLHOP_PREVIOUS_MASTER_KEYS.`,
    );
  }
}

function tooManyChanges(values: number): string {
  return `${values} keys or midoffices changed while they were being sealed again; run "bellhop reseal" once more.`;
}
