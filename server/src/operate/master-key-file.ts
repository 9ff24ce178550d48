/**
 * The generated master key in the data folder. The first line is the current key. While it is being rotated,
 * the lines after it are earlier keys that still open what they have sealed.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../base/config/config.ts';
import { BadValue, masterKey } from '../base/config/values.ts';
import { syncToDisk } from '../base/folders.ts';

const EXCLUSIVE = { flag: 'wx', mode: 0o600, flush: true } as const;
/** Errors of file systems without links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

export function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

/** The current key first; undefined if there is no such file. */
export function readMasterKeys(file: string): [Buffer, ...Buffer[]] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigError(
      `The master key in ${file} cannot be read (${message}); make it readable, or set BELLHOP_MASTER_KEY.`,
    );
  }
  try {
    const [current = '', ...earlier] = text.split('\n').map((line) => line.trim());
    return [masterKey(current), ...earlier.filter((line) => line !== '').map(masterKey)];
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new ConfigError(
      `The master key in ${file} ${error.message}; put the file back from your backup, or set BELLHOP_MASTER_KEY.`,
    );
  }
}

/**
 * Written to a temporary file and then linked, so the key file is always complete: even if other
 * processes start at the same moment, or the disk is full. It is on disk before any database needs it.
 */
export function makeMasterKey(file: string): Buffer {
  const draft = draftOf(file);
  try {
    const text = `${newKey()}\n`;
    writeFileSync(draft, text, EXCLUSIVE);
    try {
      linkSync(draft, file);
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      writeFileSync(file, text, EXCLUSIVE);
    }
    syncToDisk(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotBeWritten(file, error);
  } finally {
    rmSync(draft, { force: true });
  }
  const keys = readMasterKeys(file);
  if (keys) return keys[0];
  throw new ConfigError(`The master key in ${file} leads nowhere; delete that link.`);
}

/** Puts a new key before the others. The file has either the old or the new content, even after a crash. */
export function addMasterKey(file: string): void {
  const draft = draftOf(file);
  try {
    writeFileSync(draft, `${newKey()}\n${readFileSync(file, 'utf8')}`, EXCLUSIVE);
    renameSync(draft, file);
    syncToDisk(dirname(file));
  } catch (error) {
    throw cannotBeWritten(file, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function draftOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}`;
}

function cannotBeWritten(file: string, error: unknown): ConfigError {
  return new ConfigError(
    `The master key cannot be written to ${file} (${(error as Error).message}); make the folder writable, or set BELLHOP_MASTER_KEY.`,
  );
}
