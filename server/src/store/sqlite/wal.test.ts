import { mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StorageHealth } from '../storage-health.ts';
import { startCheckpoints } from './checkpoints.ts';
import { connect } from './connection.ts';
import { Wal } from './wal.ts';
import { Writer } from './writing.ts';

let folder: string;
let connection: DatabaseSync;
let wal: Wal;
let writer: Writer;
let health: StorageHealth;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellhop-wal-'));
  const file = join(folder, 'some.db');
  connection = connect(file);
  connection.exec('create table note (text text)');
  wal = new Wal(file);
  health = new StorageHealth(() => writer.probe());
  writer = new Writer(connection, wal, health);
});

afterEach(async () => {
  await health.stop();
  await wal.close();
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (text: string) =>
  writer.durable(() => connection.prepare('insert into note values (?)').run(text));
const notes = () => connection.prepare('select count(*) as count from note').get()?.count;

test('many transactions at once are all committed, and each is told', async () => {
  await Promise.all(Array.from({ length: 200 }, (_, n) => write(`note ${n}`)));
  expect(notes()).toBe(200);
});

test('a sync that was asked for during another begins after it', async () => {
  const order: string[] = [];
  const first = wal.synced().then(() => order.push('first'));
  const second = wal.synced().then(() => order.push('second'));
  const third = wal.synced().then(() => order.push('third'));
  await Promise.all([first, second, third]);
  expect(order).toEqual(['first', 'second', 'third']);
});

test('work that throws is rolled back, and the next one goes on', async () => {
  const failing = writer.durable(() => {
    connection.exec("insert into note values ('lost')");
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await write('kept');
  expect(notes()).toBe(1);
});

test('waits its turn behind a transaction of someone else on the connection', async () => {
  connection.exec('begin');
  connection.exec("insert into note values ('theirs')");
  const ours = write('ours');
  await new Promise((resolve) => setImmediate(resolve));
  connection.exec('rollback');
  await ours;
  expect(connection.prepare('select text from note').all()).toEqual([{ text: 'ours' }]);
});

test('other transactions on the connection still wait for the disk themselves', async () => {
  await write('ours');
  expect(connection.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
});

test('once the disk has refused, nothing is called durable any more', async () => {
  const file = join(folder, 'refused.db');
  symlinkSync('/dev/null', `${file}-wal`);
  const refused = new Wal(file);
  expect(() => refused.check()).not.toThrow();
  await expect(refused.synced()).rejects.toThrow('The disk refused');
  await expect(refused.synced()).rejects.toThrow('The disk refused');
  expect(() => refused.check()).toThrow('The disk refused');
  await refused.close();
});

test('says that nothing can be written until something can', async () => {
  await health.check();
  connection.exec('pragma max_page_count = 3');
  await expect(write('x'.repeat(100_000))).rejects.toThrow('full');
  expect(health.trouble).toBe('storage_full');
  await expect(health.check()).rejects.toThrow('The disk of the database is full');
  connection.exec('pragma max_page_count = 1000000');
  await health.check();
  expect(health.trouble).toBeUndefined();
  expect(notes()).toBe(0);
});

test('what is written to a log that was deleted is not called durable', async () => {
  await write('kept');
  rmSync(join(folder, 'some.db-wal'));
  await expect(write('lost')).rejects.toMatchObject({ trouble: 'storage_gone' });
  expect(health.trouble).toBe('storage_gone');
  await expect(write('not even tried')).rejects.toMatchObject({ trouble: 'storage_gone' });
  expect(notes()).toBe(2);
});

test('a log that was deleted before it was ever synced is missed as well', async () => {
  rmSync(join(folder, 'some.db-wal'));
  await expect(write('lost')).rejects.toMatchObject({ trouble: 'storage_gone' });
});

test('a transaction that cannot begin leaves the others their wait for the disk', async () => {
  const other = connect(join(folder, 'some.db'));
  other.exec('begin immediate');
  connection.exec('pragma busy_timeout = 10');
  await expect(write('locked out')).rejects.toThrow('locked');
  expect(connection.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
  other.exec('rollback');
  other.close();
});

test('a log that has grown is copied into the database, in a thread that ends with it', async () => {
  const file = join(folder, 'some.db');
  const checkpoints = startCheckpoints([file, join(folder, 'none.db')]);
  await write('x'.repeat(2_000_000));
  expect(statSync(file).size).toBeLessThan(1_000_000);
  await vi.waitFor(() => expect(statSync(file).size).toBeGreaterThan(2_000_000), 10_000);
  await write('y'.repeat(1_000_000));
  await vi.waitFor(() => expect(statSync(file).size).toBeGreaterThan(3_000_000), 10_000);
  await checkpoints.stop();
});
