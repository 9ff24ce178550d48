import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithOwnPostgres, describeWithPostgres } from '../../../../test/support.ts';
import { systemClock } from '../../base/clock.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Vault } from '../../base/sealing/vault.ts';
import type { Store } from '../store.ts';
import { openPostgresStore } from './open.ts';

const vault = new Vault(randomBytes(32), 'production');

describeWithPostgres('key changes on PostgreSQL', (_empty, databaseWithTables) => {
  test('reach the other nodes', async () => {
    const url = await databaseWithTables();
    const [here, there] = [await open(url), await open(url)];
    const heard = listenTo(there);
    await changeKey(here, '1');
    await heard.has('1');
    await changeKey(there, '2');
    await listenTo(here).has('2');
    expect(here.invalidations.isCurrent()).toBe(true);
    expect(there.invalidations.isCurrent()).toBe(true);
  });

  test('are not missed when their transaction, begun before others, commits after them', async () => {
    const url = await databaseWithTables();
    const [here, there] = [await open(url), await open(url)];
    const heard = listenTo(there);
    // Both have their transaction id now. One has its place in the table too, the other not yet.
    const writer = await beginRaw(url);
    await insertRaw(writer, 'written early');
    const reader = await beginRaw(url);
    await reader.query('select pg_current_xact_id()');

    for (const keyId of ['1', '2', '3']) {
      await changeKey(here, keyId);
      await heard.has(keyId);
    }
    await insertRaw(reader, 'written late');
    await reader.query('commit');
    await heard.has('written late');
    expect(heard.all).not.toContain('written early');
    await writer.query('commit');
    await heard.has('written early');
  });

  test('of a transaction that is rolled back are never heard of', async () => {
    const url = await databaseWithTables();
    const [here, there] = [await open(url), await open(url)];
    const heard = listenTo(there);
    const undone = await beginRaw(url);
    await insertRaw(undone, 'undone');
    await undone.query('rollback');
    await changeKey(here, '1');
    await heard.has('1');
    expect(heard.all).not.toContain('undone');
  });
});

describeWithOwnPostgres('a PostgreSQL that comes and goes', (startPostgres) => {
  test.each(['stop', 'kill'] as const)(
    '%s: the node knows, and recovers by itself',
    async (end) => {
      const postgres = await startPostgres();
      const lines: string[] = [];
      const log = createLogger('warn', (line) => lines.push(line));
      const [here, there] = [await open(postgres.url, log), await open(postgres.url)];
      expect(here.invalidations.isCurrent()).toBe(true);

      await postgres[end]();
      await until(() => !here.invalidations.isCurrent());
      await expect(here.ping()).rejects.toThrow();
      await expect((async () => here.keys.find('1'))()).rejects.toThrow();
      await expect(changeKey(here, '1')).rejects.toThrow();
      await expect(here.admissions.prune(0)).rejects.toThrow();

      await postgres.restart();
      await until(() => here.invalidations.isCurrent() && there.invalidations.isCurrent());
      await here.ping();
      const heard = listenTo(there);
      await changeKey(here, '2');
      await heard.has('2');
      // Told once, not five times a second.
      expect(lines.filter((line) => line.includes('key changes cannot be read'))).toHaveLength(1);
    },
  );
});

async function open(url: string, log = createLogger('silent', () => {})): Promise<Store> {
  const store = await openPostgresStore({
    url,
    environment: 'production',
    vault,
    clock: systemClock,
    log,
  });
  onTestFinished(() => store.close());
  return store;
}

async function changeKey(store: Store, keyId: string): Promise<void> {
  await store.change('test', async ({ audit, invalidate }) => {
    await invalidate([keyId]);
    await audit('key.update', keyId, null, null);
  });
}

function listenTo(store: Store) {
  const all: string[] = [];
  const news = new EventTarget();
  store.invalidations.subscribe((keyIds) => {
    all.push(...keyIds);
    news.dispatchEvent(new Event('heard'));
  });
  return {
    all,
    async has(keyId: string): Promise<void> {
      while (!all.includes(keyId)) await once(news, 'heard');
    },
  };
}

async function beginRaw(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  return client;
}

async function insertRaw(client: pg.Client, keyId: string): Promise<void> {
  await client.query('insert into bellhop.key_change (key_id, at) values ($1, 0)', [keyId]);
}

/** The test's own time limit is the only one. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10);
}
