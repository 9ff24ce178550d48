import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import {
  StorageError,
  storageErrorName,
  storageTroubleOf,
  storageTroubles,
} from './storage-trouble.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('of SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });
}

function coded(code: string): Error {
  return Object.assign(new Error('of the system'), { code });
}

test.each([
  ['SQLITE_FULL', sqliteError(13), 'storage_full', 'SQLITE_FULL'],
  ['SQLITE_IOERR_WRITE', sqliteError(778), 'storage_failing', 'SQLITE_IOERR'],
  ['SQLITE_IOERR_SHMSIZE', sqliteError(4_874), 'storage_full', 'SQLITE_IOERR_SHMSIZE'],
  ['SQLITE_READONLY', sqliteError(8), 'storage_read_only', 'SQLITE_READONLY'],
  ['SQLITE_READONLY_DBMOVED', sqliteError(1_032), 'storage_gone', 'SQLITE_READONLY_DBMOVED'],
  ['SQLITE_CANTOPEN', sqliteError(14), 'storage_failing', 'SQLITE_CANTOPEN'],
  ['SQLITE_CORRUPT', sqliteError(11), 'storage_damaged', 'SQLITE_CORRUPT'],
  ['SQLITE_CORRUPT_INDEX', sqliteError(779), 'storage_damaged', 'SQLITE_CORRUPT'],
  ['SQLITE_NOTADB', sqliteError(26), 'storage_damaged', 'SQLITE_NOTADB'],
  ['ENOSPC', coded('ENOSPC'), 'storage_full', 'ENOSPC'],
  ['a quota', coded('EDQUOT'), 'storage_full', 'EDQUOT'],
  ['a read-only file system', coded('EROFS'), 'storage_read_only', 'EROFS'],
  ['EIO', coded('EIO'), 'storage_failing', 'EIO'],
  ['disk_full of PostgreSQL', coded('53100'), 'storage_full', '53100'],
  ['read_only_sql_transaction of PostgreSQL', coded('25006'), 'storage_read_only', '25006'],
  ['io_error of PostgreSQL', coded('58030'), 'storage_failing', '58030'],
] as const)('%s is told apart, also as a cause', (_name, error, trouble, name) => {
  expect(storageTroubleOf(error)).toBe(trouble);
  expect(storageErrorName(error)).toBe(name);
  const wrapped = new Error('outer', { cause: new Error('inner', { cause: error }) });
  expect(storageTroubleOf(wrapped)).toBe(trouble);
  expect(storageErrorName(new StorageError(trouble, error))).toBe(name);
});

test.each([
  ['a constraint', sqliteError(19)],
  ['a lock', sqliteError(5)],
  ['a lost connection', coded('ECONNRESET')],
  ['a unique violation of PostgreSQL', coded('23505')],
  ['what every object has', coded('constructor')],
  ['no error at all', 'text'],
  ['nothing', undefined],
])('%s is not of the disk', (_name, error) => {
  expect(storageTroubleOf(error)).toBeUndefined();
});

test('a loop of causes comes to an end', () => {
  const error = new Error('round');
  error.cause = error;
  expect(storageTroubleOf(error)).toBeUndefined();
});

test('recognizes the error of SQLite for a full file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-trouble-'));
  const connection = new DatabaseSync(join(folder, 'some.db'));
  onTestFinished(() => {
    connection.close();
    rmSync(folder, { recursive: true });
  });
  connection.exec('create table note (text text); pragma max_page_count = 2');
  let thrown: unknown;
  try {
    connection.exec('insert into note values (zeroblob(100000))');
  } catch (error) {
    thrown = error;
  }
  expect(storageTroubleOf(thrown)).toBe('storage_full');
});

test('every trouble has a sentence that says what to do', () => {
  for (const sentence of Object.values(storageTroubles))
    expect(sentence).toMatch(/^[A-Z].*; .+\.$/);
});
