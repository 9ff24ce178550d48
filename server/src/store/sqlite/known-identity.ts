/**
 * Reads the identity of an embedded database without changing anything in its folder, so that a refused
 * start leaves no trace.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { PROOF } from '../identity.ts';

export interface KnownIdentity {
  environment: string | undefined;
  /** Each sealed with one of the master keys that it needs. */
  proofs: string[];
}

/** An interrupted start may have left an empty file. */
export function hasDatabase(folder: string): boolean {
  try {
    const file = statSync(join(folder, 'bellhop.db'));
    return file.isFile() && file.size > 0;
  } catch {
    return false;
  }
}

/** Undefined if nothing can be read; opening the store later reports why. */
export function knownIdentity(folder: string): KnownIdentity | undefined {
  if (!hasDatabase(folder)) return undefined;
  const file = join(folder, 'bellhop.db');
  let connection: DatabaseSync | undefined;
  try {
    connection = openAsItIs(file);
    const rows = connection.prepare('select name, value from meta').all() as {
      name: string;
      value: string;
    }[];
    return {
      environment: rows.find(({ name }) => name === 'environment')?.value,
      proofs: rows.filter(({ name }) => name.startsWith(PROOF)).map(({ value }) => value),
    };
  } catch {
    return undefined;
  } finally {
    connection?.close();
  }
}

/** Without a log beside it, the file is complete, and SQLite can read it without creating a log. */
export function openAsItIs(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}
