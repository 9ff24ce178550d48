/**
 * The embedded store: one folder, one process. Kysely and the hot statements share the writing
 * connection (SQLite has one writer anyway); sign-in reads on a connection of its own, so that it
 * never sees a change that is not committed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import type { Vault } from '../../vault.ts';
import { changeOn } from '../change.ts';
import { claimIdentity } from '../identity.ts';
import { migrate } from '../migrations.ts';
import type { Store } from '../store.ts';
import { sqliteAdmissions } from './admissions.ts';
import { connect, kyselyOn } from './connection.ts';
import { sqliteKeyLookup } from './key-lookup.ts';

export async function openSqliteStore(options: {
  folder: string;
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
}): Promise<Store> {
  const { folder, environment, vault, clock } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ownership = holdFolder(folder);
  const file = join(folder, 'bellhop.db');
  const writer = connect(file);
  const db = kyselyOn(writer);
  try {
    await migrate(db, 'sqlite');
    await claimIdentity(db, environment, vault, `The database in ${folder}`);
  } catch (error) {
    writer.close();
    ownership.close();
    throw error;
  }
  const reader = connect(file, { readOnly: true });

  const listeners = new Set<(keyIds: readonly string[]) => void>();
  return {
    engine: 'sqlite',
    db,
    keys: sqliteKeyLookup(reader),
    keyChanges: {
      // One process holds the folder, so whatever changes a key has told the listeners already.
      isCurrent: () => true,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    admissions: sqliteAdmissions(writer),
    change: changeOn(db, clock, {
      recordKeys: false,
      announce(keyIds) {
        for (const listener of listeners) listener(keyIds);
      },
    }),
    async ping() {
      reader.prepare('select 1').get();
    },
    async close() {
      reader.close();
      writer.close();
      ownership.close();
    },
  };
}

/**
 * A lock that the system lets go when the process ends, however it ends. Two processes on one
 * folder would each keep limits of their own and so let through twice as much.
 */
function holdFolder(folder: string): DatabaseSync {
  const lock = new DatabaseSync(join(folder, 'owner.lock'), { timeout: 0 });
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
