/**
 * The embedded store: one folder, one process. Kysely and the hot statements share the writing
 * connection (SQLite has one writer anyway); sign-in reads on a connection of its own, so that it
 * never sees a change that is not committed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import type { Vault } from '../../vault.ts';
import { changeOn } from '../change.ts';
import { claimIdentity } from '../identity.ts';
import { Listeners } from '../listeners.ts';
import { migrate } from '../migrations.ts';
import type { Store } from '../store.ts';
import { sqliteAdmissions } from './admissions.ts';
import { startCheckpoints } from './checkpoints.ts';
import { connect, kyselyOn } from './connection.ts';
import { sqliteDeliveries } from './deliveries.ts';
import { sqliteKeyLookup } from './key-lookup.ts';
import { sqliteOrders } from './orders.ts';
import { Wal } from './wal.ts';
import { Writer } from './writing.ts';

export async function openSqliteStore(options: {
  folder: string;
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
  /** Another thread of this process has opened the folder, and closes it last. */
  attach?: boolean;
}): Promise<Store> {
  const { folder, environment, vault, clock, attach = false } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ownership = attach ? undefined : holdFolder(folder);
  const file = privateFile(join(folder, 'bellhop.db'));
  const connection = connect(file);
  const db = kyselyOn(connection);
  try {
    if (!attach) await migrate(db, 'sqlite');
    await claimIdentity(db, environment, vault, `The database in ${folder}`);
  } catch (error) {
    connection.close();
    ownership?.close();
    throw error;
  }
  const reader = connect(file, { readOnly: true });
  const wal = new Wal(file);
  const writer = new Writer(connection, wal);
  const deliveries = sqliteDeliveries(writer);
  const admissionsFile = privateFile(join(folder, 'admissions.db'));
  const admissions = sqliteAdmissions(admissionsFile);
  const checkpoints = attach ? undefined : startCheckpoints([file, admissionsFile]);
  const listeners = new Listeners();
  return {
    engine: 'sqlite',
    db,
    keys: sqliteKeyLookup(reader),
    keyChanges: {
      // One process holds the folder, so whatever changes a key has told the listeners already.
      isCurrent: () => true,
      subscribe: listeners.subscribe,
      announce: listeners.announce,
    },
    admissions,
    orders: sqliteOrders(writer, deliveries.announceWork),
    deliveries,
    change: changeOn(
      db,
      clock,
      { recordKeys: false, announce: listeners.announce },
      async (midofficeIds) => {
        // After the commit, which is the next thing to happen on this connection.
        setImmediate(() => deliveries.announceWork(midofficeIds));
      },
    ),
    async ping() {
      await writer.check();
      reader.prepare('select 1').get();
    },
    async close() {
      await checkpoints?.stop();
      await admissions.close();
      reader.close();
      await wal.close();
      connection.close();
      ownership?.close();
    },
  };
}

/**
 * A lock that the system lets go when the process ends, however it ends. Two processes on one
 * folder would each keep limits of their own and so let through twice as much.
 */
function holdFolder(folder: string): DatabaseSync {
  const lock = new DatabaseSync(privateFile(join(folder, 'owner.lock')), { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
    return lock;
  } catch {
    lock.close();
    throw new ConfigError(
      `Another Bellhop process is using ${folder}; stop it, choose another BELLHOP_DATA_DIR, or use PostgreSQL for several processes.`,
    );
  }
}

/**
 * SQLite would create it for everyone to read; the files that it puts beside one are like it. One
 * that exists is not even opened: closing it again would let go of this process's locks on it.
 */
function privateFile(file: string): string {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return file;
}
