import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import {
  DatabaseAway,
  MOST_WAITING_READS,
  ReadTimedOut,
  TooManyReads,
} from '../../base/database-errors.ts';
import { MOST_READERS, Readers } from './readers.ts';

/** The thread expects a statement, and its error is nobody's. */
const CRASHES = null as never;

function open(bounds?: ConstructorParameters<typeof Readers>[0]) {
  const folder = mkdtempSync(join(tmpdir(), 'readers-'));
  const create = (name: string, journal: string) => {
    const file = join(folder, name);
    const connection = new DatabaseSync(file);
    connection.exec(`pragma journal_mode = ${journal};
      create table number (n integer); insert into number values (1)`);
    return { file, connection };
  };
  const written = create('written.db', 'wal');
  // Without a write-ahead log, a reader waits for the writer: a statement takes as long as the test wants.
  const held = create('held.db', 'delete');
  held.connection.exec('begin exclusive');
  const readers = new Readers(bounds);
  onTestFinished(async () => {
    if (held.connection.isTransaction) held.connection.exec('rollback');
    await readers.close();
    for (const { connection } of [written, held]) connection.close();
    rmSync(folder, { recursive: true });
  });
  return {
    readers,
    writer: written.connection,
    read: (caller: string, sql = 'select n from number', ...parameters: unknown[]) =>
      readers.read(caller, { file: written.file, sql, parameters }),
    readSlowly: (caller: string) =>
      readers.read(caller, { file: held.file, sql: 'select n from number', parameters: [] }),
    endSlowReads: () => held.connection.exec('rollback'),
  };
}

test('a read finds what was committed before it', async () => {
  const { read, writer } = open();
  for (let n = 1; n < 20; n++) {
    writer.prepare('update number set n = ?').run(n);
    expect(await read('ann', 'select n from number where n = ?', n)).toEqual([{ n }]);
  }
});

test('a thread starts with the first read and ends when nobody reads', async () => {
  const { readers, read } = open({ idleMs: 1 });
  expect(readers.threads).toBe(0);
  await read('ann');
  expect(readers.threads).toBe(1);
  await expect.poll(() => readers.threads).toBe(0);
  expect(await read('ann')).toEqual([{ n: 1 }]);
});

test('a caller whose statements are slow leaves a thread to the others', async () => {
  const { readers, read, readSlowly, endSlowReads } = open();
  const slow = Promise.all([1, 2, 3].map(() => readSlowly('ann')));
  expect(await read('bob')).toEqual([{ n: 1 }]);
  expect(await read('cid')).toEqual([{ n: 1 }]);
  expect(readers.threads).toBe(MOST_READERS);
  endSlowReads();
  expect(await slow).toHaveLength(3);
});

test('callers take turns', async () => {
  const { read, readSlowly, endSlowReads } = open();
  const ended: string[] = [];
  // One thread is busy to the end, so that the other one reads for all of them, one after another.
  const slow = readSlowly('eve');
  await Promise.all(
    ['ann', 'ann', 'ann', 'bob', 'bob', 'cid'].map((caller) =>
      read(caller).then(() => ended.push(caller)),
    ),
  );
  expect(ended).toEqual(['ann', 'bob', 'cid', 'ann', 'bob', 'ann']);
  endSlowReads();
  await slow;
});

test('a read that takes too long is refused, and its thread goes on when it has ended', async () => {
  const { readers, read, readSlowly, endSlowReads } = open({ timeoutMs: 300 });
  await expect(readSlowly('ann')).rejects.toThrow(ReadTimedOut);
  await expect(read('ann')).rejects.toThrow(ReadTimedOut);
  endSlowReads();
  await expect.poll(() => read('ann').catch(() => {})).toEqual([{ n: 1 }]);
  expect(readers.threads).toBeLessThanOrEqual(MOST_READERS);
});

test('a caller cannot have more than so many reads waiting', async () => {
  const { read, readSlowly, endSlowReads } = open();
  // The first does not wait: it runs.
  const many = Array.from({ length: MOST_WAITING_READS + 1 }, () => readSlowly('ann'));
  await expect(readSlowly('ann')).rejects.toThrow(TooManyReads);
  expect(await read('bob')).toEqual([{ n: 1 }]);
  endSlowReads();
  expect(await Promise.all(many)).toHaveLength(many.length);
});

test('what runs when a thread crashes is read again by another one, once', async () => {
  const { readers, read } = open();
  await expect(readers.read('ann', CRASHES)).rejects.toThrow(DatabaseAway);
  expect(await read('ann')).toEqual([{ n: 1 }]);
});

test('an error keeps its code, and nothing can be written', async () => {
  const { read } = open();
  await expect(read('ann', 'select n from nowhere')).rejects.toThrow('no such table');
  await expect(read('ann', 'delete from number')).rejects.toMatchObject({ errcode: 8 });
});

test('after the end nothing is read, and whoever waits is told', async () => {
  const { readers, read, readSlowly, endSlowReads } = open();
  const waiting = Promise.allSettled([readSlowly('ann'), read('ann')]);
  const closing = readers.close();
  endSlowReads();
  await closing;
  for (const one of await waiting) {
    expect(one).toMatchObject({ reason: expect.any(DatabaseAway) });
  }
  await expect(read('ann')).rejects.toThrow(DatabaseAway);
});

test('nothing is read while the log is too long, until what runs has ended and the log begins anew', async () => {
  const { readers, read, readSlowly, endSlowReads, writer } = open({ longestLogBytes: 100_000 });
  writer.exec('pragma journal_size_limit = 0');
  const slow = readSlowly('ann');
  writer.exec('pragma wal_autocheckpoint = 0; create table filler (t text)');
  writer.prepare('insert into filler values (?)').run('x'.repeat(200_000));
  let isRead = false;
  const held = read('bob').then(() => {
    isRead = true;
  });
  // Longer than a second thread takes to start.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([isRead, readers.threads]).toEqual([false, 1]);
  endSlowReads();
  await slow;
  writer.exec('pragma wal_checkpoint(passive); update number set n = 2');
  await held;
});

test('a log that nobody writes to holds up reads only once', async () => {
  const { read, writer } = open({ longestLogBytes: 1 });
  writer.exec('pragma wal_autocheckpoint = 0; update number set n = 3');
  for (let n = 0; n < 30; n++) expect(await read('ann')).toEqual([{ n: 3 }]);
});
