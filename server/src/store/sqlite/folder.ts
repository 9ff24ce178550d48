/** The folder of an embedded store: its lock, and files that only their owner can read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PreconditionFailed } from '../../base/config/config.ts';

export const LOCK_FILE = 'owner.lock';
const SQLITE_BUSY = 5;

/**
 * A lock that the operating system releases however the process ends. Two processes on one folder would
 * each count limits separately and so admit twice as much.
 */
export function holdFolder(folder: string): DatabaseSync {
  const lock = tryToHold(folder);
  if (lock) return lock;
  throw new PreconditionFailed(
    `Another Bellhop process is using ${folder}; stop it, choose another BELLHOP_DATA_DIR, or use PostgreSQL for several processes.`,
    'busy',
  );
}

/** Undefined if another process holds it. */
export function tryToHold(folder: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(privateFile(join(folder, LOCK_FILE)), { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    if (((error as { errcode?: number }).errcode ?? 0) !== SQLITE_BUSY) throw error;
    return undefined;
  }
}

/**
 * SQLite would create a file that everyone can read, and gives the files beside it the same permissions.
 * An existing file is not opened, because closing it would release this process's locks on it.
 */
export function privateFile(file: string): string {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return file;
}
