/**
 * The embedded store: one folder, one process. Kysely and the hot statements share the writing connection,
 * since SQLite has only one writer. Sign-in reads on a connection of its own, so that it never sees an
 * uncommitted change.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { closeAll } from '../../base/disposal.ts';
import { makeFolder } from '../../base/folders.ts';
import type { Log } from '../../base/log.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import type { AdmissionJournal } from '../../limiter/limiter.ts';
import { changeOn } from '../change.ts';
import { housekeepingOn } from '../housekeeping.ts';
import { claimIdentity } from '../identity.ts';
import { sqliteKeyLookup } from '../key-lookup.ts';
import { Listeners } from '../listeners.ts';
import { mailQueueOn } from '../mails.ts';
import { minuteStatsOn } from '../minute-stats.ts';
import { restateAsStored } from '../queue/restate-order.ts';
import { restoreShards } from '../queue/restore-shards.ts';
import type { Schema } from '../schema.ts';
import { StorageHealth } from '../storage-health.ts';
import { StorageError, storageTroubles } from '../storage-trouble.ts';
import type { Store } from '../store.ts';
import { environmentTables } from '../table-sets.ts';
import { sqliteAdmissions } from './admissions.ts';
import { startCheckpoints } from './checkpoints.ts';
import { connect } from './connection.ts';
import { shareDamage } from './damage.ts';
import { refuseIfEmptied } from './damage-check.ts';
import { openFile, opening, watchFiles } from './database-file.ts';
import { holdFolder, LOCK_FILE, privateFile } from './folder.ts';
import { noteMasterKeysInUse } from './master-keys-in-use.ts';
import { sqliteNotices } from './notices.ts';
import { sqliteOrders } from './orders.ts';
import { sqliteQueue } from './queue.ts';
import { Readers } from './readers.ts';
import { readingFor } from './reading.ts';
import { sqliteRecordedCalls } from './recorded-calls.ts';
import { releaseDeadOwners, sqliteShards } from './shards.ts';
import { sqliteUsageHistory } from './usage-history.ts';
import { Wal } from './wal.ts';
import { Writer } from './writing.ts';

export interface SqliteStoreOptions {
  folder: string;
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
  log?: Log | undefined;
  /** Another thread of this process has opened the folder, and closes it last. */
  attach?: boolean | undefined;
  /** The folder was deleted, moved or replaced; nothing is stored from now on. */
  onGone?: ((error: Error) => void) | undefined;
}

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { folder } = options;
  makeFolder(folder);
  const where = `The database in ${folder}`;
  return opening(where, (closing) => openIn(folder, where, options, closing));
}

async function openIn(
  folder: string,
  where: string,
  options: SqliteStoreOptions,
  closing: AsyncDisposableStack,
): Promise<Store> {
  const { environment, vault, clock, log, attach = false, onGone } = options;
  const [file, admissionsFile] = [join(folder, 'bellhop.db'), join(folder, 'admissions.db')];
  if (!attach) {
    const ownership = holdFolder(folder);
    closing.defer(() => ownership.close());
    refuseIfEmptied(file, admissionsFile);
  }
  const health: StorageHealth = new StorageHealth(probe, log);
  closing.defer(shareDamage(folder, health));
  const parts = { where, tables: environmentTables, health, attach };
  const { connection, db } = await openFile<Schema>(file, parts, closing);
  const wal = new Wal(file);
  closing.defer(() => wal.close());
  const writer = new Writer(connection, wal, health);
  if (!attach) {
    releaseDeadOwners(connection);
    await restoreShards(db, clock.now());
  }
  await claimIdentity(db, environment, vault, where);
  if (!attach) await noteMasterKeysInUse(db, vault.masterKeyIds);
  const reader = connect(file, { readOnly: true });
  closing.defer(() => reader.close());
  const readers = new Readers();
  closing.defer(() => readers.close());
  const notices = sqliteNotices(writer);
  const queue = sqliteQueue(writer, notices, (id, nowMs) => restateAsStored(db, id, nowMs));
  const admissions = sqliteAdmissions(privateFile(admissionsFile), { check: !attach });
  closing.defer(() => admissions.close());
  const databases = [file, admissionsFile];
  if (!attach) {
    const checkpoints = startCheckpoints(databases);
    closing.defer(() => checkpoints.stop());
  }
  const files = { databases, others: [join(folder, LOCK_FILE)] };
  const watch = await watchFiles(files, { health, attach, log, onGone }, closing);
  closing.defer(() => health.stop());
  const listeners = new Listeners();
  const change = changeOn(
    db,
    clock,
    { recordIds: false, announce: listeners.announce },
    async (notice) => {
      // This may run before the transaction ends: reads wait for that (`Writer.between`).
      setImmediate(() => queue.notify(notice));
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
    dbFor: (caller) => readingFor(caller, { writing: db, file, readers, health }),
    promptDb: db,
    keys: sqliteKeyLookup(reader, health),
    invalidations: {
      // Only this process holds the folder, and every change has already told the listeners.
      isCurrent: () => true,
      subscribe: listeners.subscribe,
      announce: listeners.announce,
    },
    admissions: watchedJournal(admissions, health),
    orders: sqliteOrders(writer, (midofficeIds) => queue.notify({ kind: 'work', midofficeIds })),
    queue,
    shards: sqliteShards(writer, clock),
    minuteStats: minuteStatsOn(db),
    housekeeping: housekeepingOn(db),
    mails: mailQueueOn(db),
    usageHistory: sqliteUsageHistory(writer, notices, clock),
    recordedCalls: sqliteRecordedCalls(writer),
    change: (actor, work) => watch.confirm(change(actor, work)),
    // It is in this process.
    outage: {
      isAway: () => false,
      mayGoOn: () => false,
      refusal: () => undefined,
      silentForMs: () => 0,
    },
    storageTrouble: () => health.trouble && storageTroubles[health.trouble],
    readers,
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
