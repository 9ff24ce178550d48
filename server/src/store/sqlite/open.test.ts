import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databaseFolder, temporaryFolder } from '../../../../test/support.ts';
import { fill, storeConformance } from '../../../testing/conformance/store.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/config/config.ts';
import { Vault } from '../../base/sealing/vault.ts';
import { SHARDS } from '../../delivery/queue.ts';
import { readOwners } from '../queue/owners.ts';
import { openSqliteStore } from './open.ts';

describe('the embedded store', () => {
  storeConformance(async () => {
    const folder = await databaseFolder();
    return { open: (options) => openSqliteStore({ folder, ...options }) };
  });
});

const vault = new Vault(randomBytes(32), 'production');
const options = { environment: 'production', vault, clock: systemClock } as const;

test('a folder is locked by one process until that ends, however it ends', async () => {
  const folder = await temporaryFolder();
  await (await openSqliteStore({ folder, ...options })).close();
  const holder = spawn(
    process.execPath,
    [
      '-e',
      `const { DatabaseSync } = require('node:sqlite');
       const lock = new DatabaseSync(process.argv[1]);
       lock.exec('pragma locking_mode = exclusive; begin exclusive');
       console.log('held');
       setInterval(() => {}, 1_000);`,
      join(folder, 'owner.lock'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const second = openSqliteStore({ folder, ...options });
  await expect(second).rejects.toThrow(/^Another Bellhop process is using .*BELLHOP_DATA_DIR/);
  await expect(second).rejects.toBeInstanceOf(ConfigError);

  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await (await openSqliteStore({ folder, ...options })).close();
});

test('a second attempt in the same process does not release the lock of the first', async () => {
  const folder = await temporaryFolder();
  const store = await openSqliteStore({ folder, ...options });
  await expect(openSqliteStore({ folder, ...options })).rejects.toThrow('Another Bellhop process');
  const probe = spawn(
    process.execPath,
    [
      '-e',
      `const { DatabaseSync } = require('node:sqlite');
       new DatabaseSync(process.argv[1], { timeout: 0 }).exec('begin exclusive');`,
      join(folder, 'owner.lock'),
    ],
    { stdio: 'ignore' },
  );
  const [code] = await once(probe, 'exit');
  expect(code).not.toBe(0);
  await store.close();
});

test('a part that cannot be closed does not keep the others open', async () => {
  const folder = await temporaryFolder();
  const store = await openSqliteStore({ folder, ...options });
  // Kysely closes the connection, so that the store's own close of it fails.
  await store.db.destroy();
  await expect(store.close()).rejects.toThrow('database is not open');
  const again = await openSqliteStore({ folder, ...options });
  await again.close();
});

test('only the owner can read the database and the files beside it', async () => {
  const folder = await temporaryFolder();
  const store = await openSqliteStore({ folder, ...options });
  await fill(store);
  for (const file of ['bellhop.db', 'bellhop.db-wal', 'bellhop.db-shm', 'owner.lock']) {
    expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
  }
  await store.close();
});

test.each(['bellhop.db', 'admissions.db'])('a damaged %s is named in a sentence', async (name) => {
  const folder = await temporaryFolder();
  await (await openSqliteStore({ folder, ...options })).close();
  writeFileSync(join(folder, name), Buffer.alloc(9_000, 'no database '));
  const opened = openSqliteStore({ folder, ...options });
  await expect(opened).rejects.toThrow(`${join(folder, name)} is damaged`);
});

test('a change on a full disk reports that, and not the rollback of SQLite', async () => {
  const store = await openSqliteStore({ folder: await temporaryFolder(), ...options });
  const write = () =>
    store.change('test', async ({ db, audit }) => {
      const value = 'x'.repeat(200_000);
      await db.insertInto('meta').values({ name: 'large', value }).execute();
      await audit('test', 'large', null, null);
    });
  await sql`pragma max_page_count = 1`.execute(store.db);
  await expect(write()).rejects.toMatchObject({ errcode: 13, message: 'database or disk is full' });
  await expect(store.ping()).rejects.toMatchObject({ trouble: 'storage_full' });
  expect(store.storageTrouble()).toMatch('is full');

  await sql`pragma max_page_count = 1000000`.execute(store.db);
  await store.ping();
  expect(store.storageTrouble()).toBeUndefined();
  await write();
  await store.close();
});

test.each([
  ['the folder is deleted', (folder: string) => rmSync(folder, { recursive: true })],
  ['the folder is moved away', (folder: string) => renameSync(folder, `${folder}.old`)],
  ['its lock is deleted', (folder: string) => rmSync(join(folder, 'owner.lock'))],
  ['its database is deleted', (folder: string) => rmSync(join(folder, 'bellhop.db'))],
  ['its log is deleted', (folder: string) => rmSync(join(folder, 'bellhop.db-wal'))],
  ['another file takes the place of its database', replaceDatabase],
])('when %s, changes are refused at once and the owner is told', async (_name, damage) => {
  const folder = join(await temporaryFolder(), 'production');
  const gone = Promise.withResolvers<Error>();
  const store = await openSqliteStore({ folder, ...options, onGone: gone.resolve });
  const note = () => store.change('test', ({ audit }) => audit('test', 'x', null, null));
  await note();
  damage(folder);
  await expect(note()).rejects.toMatchObject({ trouble: 'storage_gone' });
  expect((await gone.promise).message).toMatch(/^The data folder was deleted, moved or replaced/);
  await expect(note()).rejects.toMatchObject({ trouble: 'storage_gone' });
  await expect(store.ping()).rejects.toMatchObject({ trouble: 'storage_gone' });
  await expect(store.close()).rejects.toMatchObject({ trouble: 'storage_gone' });
});

test('after a crash, a start that does not deliver shows no owner of any shard', async () => {
  const folder = await temporaryFolder();
  const crashed = await openSqliteStore({ folder, ...options });
  await crashed.shards.take({ id: 'crashed', host: 'test' }, SHARDS);
  const owned = await readOwners(crashed.db, systemClock.now());
  expect([owned.nodes.length, owned.unowned.length]).toEqual([1, 0]);
  // A crash gives nothing back; neither does closing the store.
  await crashed.close();
  const store = await openSqliteStore({ folder, ...options });
  onTestFinished(() => store.close());
  const { nodes, unowned } = await readOwners(store.db, systemClock.now());
  expect([nodes, unowned.length]).toEqual([[], SHARDS]);
});

test('a deleted folder is noticed without any request', async () => {
  const folder = join(await temporaryFolder(), 'production');
  const gone = Promise.withResolvers<Error>();
  const store = await openSqliteStore({ folder, ...options, onGone: gone.resolve });
  rmSync(folder, { recursive: true });
  await gone.promise;
  await expect(store.close()).rejects.toMatchObject({ trouble: 'storage_gone' });
});

test('an event written to a deleted file is not accepted', async () => {
  const folder = join(await temporaryFolder(), 'production');
  const store = await openSqliteStore({ folder, ...options });
  await fill(store);
  rmSync(folder, { recursive: true });
  await expect(store.orders.accept([[]], 0, () => undefined)).rejects.toMatchObject({
    trouble: 'storage_gone',
  });
  await expect(store.close()).rejects.toMatchObject({ trouble: 'storage_gone' });
});

function replaceDatabase(folder: string): void {
  const file = join(folder, 'bellhop.db');
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
}
