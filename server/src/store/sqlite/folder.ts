/** The folder of an embedded store: who owns it, and files that are for their owner alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../config/config.ts';

export const LOCK_FILE = 'owner.lock';
const SQLITE_BUSY = 5;

/**
 * A lock that the system lets go when the process ends, however it ends. Two processes on one
 * folder would each keep limits of their own and so let through twice as much.
 */
export function holdFolder(folder: string): DatabaseSync {
  const lock = new DatabaseSync(privateFile(join(folder, LOCK_FILE)), { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (((error as { errcode?: number }).errcode ?? 0) !== SQLITE_BUSY) throw error;
    throw new ConfigError(
      `Another Bellhop process is using ${folder}; stop it, choose another BELLHOP_DATA_DIR, or use PostgreSQL for several processes.`,
    );
  }
}

/**
 * SQLite would create it for everyone to read; the files that it puts beside one are like it. One
 * that exists is not even opened: closing it again would let go of this process's locks on it.
 */
export function privateFile(file: string): string {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return file;
}
