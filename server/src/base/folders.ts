/** Bellhop's data folders: created if they are missing, for their owner only. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, PreconditionFailed } from './config/config.ts';

/** SQLite accepts paths of up to 512 bytes, including its own suffixes. */
const LONGEST_FOLDER_BYTES = 480;
/** In a data folder while `bellhop restore` fills it. */
export const RESTORING = '.restoring';

/** `given` is the setting or option that names the folder. */
export function makeFolder(folder: string, given = 'BELLHOP_DATA_DIR'): void {
  try {
    if (Buffer.byteLength(resolve(folder)) > LONGEST_FOLDER_BYTES) {
      throw new Error(`its path is longer than ${LONGEST_FOLDER_BYTES} bytes`);
    }
    createFolders(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError(
      `${given} must name a folder that can be written to: ${(error as Error).message}.`,
    );
  }
}

/** Creates a folder with its parents, for its owner only. The message of an error says what is in the way. */
export function createFolders(folder: string): void {
  for (const missing of missingFolders(resolve(folder))) makeOne(missing);
}

/** A part of the databases may be missing, and a server would create it empty. */
export function refuseHalfRestored(dataDir: string): void {
  if (!existsSync(join(dataDir, RESTORING))) return;
  throw new PreconditionFailed(
    `"bellhop restore" has not completed ${dataDir}; wait for it, or, if it was interrupted, delete what is in the folder, including ${RESTORING}, and restore again.`,
    'busy',
  );
}

/** Waits until a file, or the names in a folder, would survive a power cut. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A folder with everything in it. */
export function syncTreeToDisk(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTreeToDisk(path);
    else syncToDisk(path);
  }
  syncToDisk(folder);
}

/** The outermost first. */
function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    try {
      if (statSync(at).isDirectory()) return missing.reverse();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      missing.push(at);
      continue;
    }
    throw new Error(`${at} is not a folder`);
  }
}

/**
 * One level at a time: under /proc, where no folder can be created, `mkdir` with `recursive` tries
 * forever, because each parent exists but the answer is still "no such file or directory".
 */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same moment was faster.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
  }
}
