/**
 * The embedded store: one folder, one process. Kysely and the hot statements share the writing connection,
 * since SQLite has only one writer. Sign-in reads on a connection of its own, so that it never sees an
 * uncommitted change.
 */
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import { closeAll } from '../../disposal.ts';
import { makeFolder } from '../../folders.ts';
import type { AdmissionJournal } from '../../limits/limiter.ts';
import type { Log } from '../../log.ts';
import type { Vault } from '../../vault.ts';
import { changeOn } from '../change.ts';
import { housekeepingOn } from '../housekeeping.ts';
import { claimIdentity } from '../identity.ts';
import { Listeners } from '../listeners.ts';
import { migrate } from '../migrations/migrate.ts';
import { minuteStatsOn } from '../minute-stats.ts';
import { restateAsStored } from '../queue/restate-order.ts';
import { restoreShards } from '../queue/restore-shards.ts';
import { StorageHealth } from '../storage-health.ts';
import {
  StorageError,
  type StorageTrouble,
  storageTroubleOf,
  storageTroubles,
} from '../storage-trouble.ts';
import type { Store } from '../store.ts';
import { environmentTables } from '../table-sets.ts';
import { sqliteAdmissions } from './admissions.ts';
import { startCheckpoints } from './checkpoints.ts';
import { connect, kyselyOn } from './connection.ts';
import { refuseIfDamaged, refuseIfEmptied, startDamageCheck } from './damage-check.ts';
import { holdFolder, LOCK_FILE, privateFile } from './folder.ts';
import { FolderWatch } from './folder-watch.ts';
import { sqliteKeyLookup } from './key-lookup.ts';
import { noteMasterKeysInUse } from './master-keys-in-use.ts';
import { sqliteOrders } from './orders.ts';
import { sqliteQueue } from './queue.ts';
import { releaseDeadOwners, sqliteShards } from './shards.ts';
import { shareDamage } from './shared-damage.ts';
import { sqliteUsageHistory } from './usage-history.ts';
import { Wal } from './wal.ts';
import { Writer } from './writing.ts';

/** What to do about disk trouble that keeps Bellhop from starting. */
export const BEFORE_A_START: Record<StorageTrouble, string> = {
  storage_full: 'free some space on its disk',
  storage_read_only: 'make its disk writable',
  storage_failing: 'check its disk and its permissions',
  storage_gone: 'find out what deletes or moves it',
  storage_damaged: 'restore a backup (docs/operating/damaged-database.md)',
};

export interface SqliteStoreOptions {
  folder: string;
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
  log?: Log;
  /** Another thread of this process has opened the folder, and closes it last. */
  attach?: boolean;
  /** The folder was deleted, moved or replaced; nothing is stored from now on. */
  onGone?: (error: Error) => void;
}

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { folder } = options;
  makeFolder(folder);
  const closing = new AsyncDisposableStack();
  try {
    return await openIn(folder, options, closing);
  } catch (error) {
    // What failed first says more than what could not be closed after it.
    await closeAll(closing).catch(() => {});
    const trouble = storageTroubleOf(error);
    if (!trouble) throw error;
    throw new ConfigError(
      `The database in ${folder} cannot be opened (${(error as Error).message}); ${BEFORE_A_START[trouble]} and start Bellhop again.`,
    );
  }
}

async function openIn(
  folder: string,
  options: SqliteStoreOptions,
  closing: AsyncDisposableStack,
): Promise<Store> {
  const { environment, vault, clock, log, attach = false, onGone } = options;
  const where = `The database in ${folder}`;
  if (!attach) {
    const ownership = holdFolder(folder);
    closing.defer(() => ownership.close());
  }
  const admissionsFile = join(folder, 'admissions.db');
  if (!attach) refuseIfEmptied(join(folder, 'bellhop.db'), admissionsFile);
  const file = privateFile(join(folder, 'bellhop.db'));
  const connection = connect(file);
  closing.defer(() => connection.close());
  const wal = new Wal(file);
  const health: StorageHealth = new StorageHealth(probe, log);
  closing.defer(shareDamage(folder, health));
  const writer = new Writer(connection, wal, health);
  const db = kyselyOn(connection, health);
  if (!attach) {
    refuseIfDamaged(file);
    await migrate(db, environmentTables, where);
    releaseDeadOwners(connection);
    await restoreShards(db, clock.now());
  }
  await claimIdentity(db, environment, vault, where);
  if (!attach) await noteMasterKeysInUse(db, vault.masterKeyIds);
  closing.defer(() => wal.close());
  const reader = connect(file, { readOnly: true });
  closing.defer(() => reader.close());
  const queue = sqliteQueue(writer, (id, nowMs) => restateAsStored(db, id, nowMs));
  const admissions = sqliteAdmissions(privateFile(admissionsFile), { check: !attach });
  closing.defer(() => admissions.close());
  const watch = await FolderWatch.start(
    [join(folder, LOCK_FILE), file, `${file}-wal`, admissionsFile, `${admissionsFile}-wal`],
    (error) => {
      health.note(error);
      onGone?.(error);
    },
  );
  const checkpoints = attach ? undefined : startCheckpoints([file, admissionsFile]);
  const damageCheck = attach
    ? undefined
    : startDamageCheck([file, admissionsFile], { health, log });
  closing.defer(() => checkpoints?.stop());
  closing.defer(() => damageCheck?.stop());
  closing.defer(() => health.stop());
  closing.defer(() => watch.stop());
  const listeners = new Listeners();
  const change = changeOn(
    db,
    clock,
    { recordIds: false, announce: listeners.announce },
    async (midofficeIds) => {
      // This may run before the transaction ends: reads wait for that (`Writer.between`).
      setImmediate(() => queue.tell({ kind: 'changed', midofficeIds }));
    },
  );

  /** The journal has a log of its own, whose sync may have failed for good. */
  async function probe(): Promise<void> {
    await writer.probe();
    await admissions.prune(0);
  }

  return {
    engine: 'sqlite',
    db,
    keys: sqliteKeyLookup(reader, health),
    invalidations: {
      // Only this process holds the folder, and every change has already told the listeners.
      isCurrent: () => true,
      subscribe: listeners.subscribe,
      announce: listeners.announce,
    },
    admissions: watchedJournal(admissions, health),
    orders: sqliteOrders(writer, (midofficeIds) => queue.tell({ kind: 'work', midofficeIds })),
    queue,
    shards: sqliteShards(writer, clock),
    minuteStats: minuteStatsOn(db),
    housekeeping: housekeepingOn(db),
    usageHistory: sqliteUsageHistory(writer, clock),
    async change(actor, work) {
      const result = await change(actor, work);
      // A commit to a deleted file succeeds, so look. If the look itself fails, the file counts as present.
      await watch.check().catch((error) => {
        if (error instanceof StorageError) throw error;
      });
      return result;
    },
    storageTrouble: () => health.trouble && storageTroubles[health.trouble],
    health,
    async ping() {
      await watch.check();
      await health.check();
      reader.prepare('select 1').get();
    },
    async close() {
      // If the file was replaced, SQLite leaves the new file and its log alone.
      const failure = attach ? undefined : await watch.check().catch((error: unknown) => error);
      await closeAll(closing);
      if (failure instanceof StorageError) throw failure;
    },
  };
}

function watchedJournal(journal: AdmissionJournal, health: StorageHealth): AdmissionJournal {
  return { ...journal, append: (some) => health.watch(() => journal.append(some)) };
}
