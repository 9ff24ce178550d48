/**
 * A database as commands open it: beside a running server or without one, with no more than the tables. The
 * server of the same release has migrated it before.
 */
import type { Kysely } from 'kysely';
import { ConfigError, PreconditionFailed } from '../../base/config/config.ts';
import type { Engine } from '../engine.ts';
import type { MasterKeysInUse } from '../master-keys-in-use.ts';
import { fromBeforeTheFirstRelease } from '../migrations/migrate.ts';
import type { Schema } from '../schema.ts';
import { environmentTables } from '../table-sets.ts';

export interface DirectDatabase {
  readonly engine: Engine;
  readonly db: Kysely<Schema>;
  /** As the subject of a sentence. */
  readonly where: string;
  /** Of each process that runs on it now. */
  masterKeysInUse(on?: Kysely<Schema>): Promise<MasterKeysInUse[]>;
  /** Until the end of the transaction, no process can start on it. */
  lockMasterKeys(transaction: Kysely<Schema>): Promise<void>;
  /** How much `rewriteSealed` has to write at most. Running processes wait that long. */
  bytesToRewrite(): Promise<number>;
  /** Rewrites everything with sealed values, so that free space has no earlier copy of one. */
  rewriteSealed(): Promise<void>;
  close(): Promise<void>;
}

export async function refuseOtherRelease(db: Kysely<Schema>, where: string): Promise<void> {
  const rows = await db
    .$extendTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute()
    .catch(() => []);
  if (rows.length === 0) {
    throw new ConfigError(`${where} has no data of Bellhop; check the settings.`);
  }
  const [done, known] = [rows.map(({ name }) => name), Object.keys(environmentTables.migrations)];
  if (done[0] !== known[0]) throw fromBeforeTheFirstRelease(where);
  if (done.at(-1) === known.at(-1)) return;
  throw new PreconditionFailed(
    `${where} was last used by another release of Bellhop; start this release on it once, then run the command again.`,
  );
}
