/** Bellhop's data folders: created if they are missing, for their owner only. */
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './config/config.ts';

/** SQLite accepts paths of up to 512 bytes, including its own suffixes. */
const LONGEST_FOLDER_BYTES = 480;

export function makeFolder(folder: string): void {
  try {
    if (Buffer.byteLength(resolve(folder)) > LONGEST_FOLDER_BYTES) {
      throw new Error(`its path is longer than ${LONGEST_FOLDER_BYTES} bytes`);
    }
    for (const missing of missingFolders(resolve(folder))) makeOne(missing);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError(
      `BELLHOP_DATA_DIR must name a folder that can be written to: ${(error as Error).message}.`,
    );
  }
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
