import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { storeConformance } from '../../../testing/conformance/store.ts';
import { systemClock } from '../../clock.ts';
import { ConfigError, readConfig } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import { openEnvironment, withLimiter } from '../../environment.ts';
import { defaultGrant, GrantSet } from '../../grants.ts';
import { createLogger } from '../../logging/logger.ts';
import { Metrics } from '../../metrics.ts';
import { openWebhooks, supportEnvironment } from '../../services.ts';
import type { SupportEnvironment } from '../../support/environment.ts';
import { deleteGrant } from '../../support/grants/delete-grant.ts';
import { listGrants } from '../../support/grants/grants.ts';
import { putGrant } from '../../support/grants/put-grant.ts';
import { createKey } from '../../support/keys/create-key.ts';
import { getKey } from '../../support/keys/keys.ts';
import { rotateKey } from '../../support/keys/rotate-key.ts';
import { certifyPartner } from '../../support/partners/certify-partner.ts';
import { createPartner } from '../../support/partners/create-partner.ts';
import { Vault } from '../../vault.ts';
import type { Store } from '../store.ts';
import { openPostgresStore } from './open.ts';

const log = createLogger('silent', () => {});
const masterKey = randomBytes(32);

describeWithPostgres('the store on PostgreSQL', (freshDatabase) => {
  describe('like every store', () => {
    storeConformance(async () => {
      const url = await freshDatabase();
      return { open: (options) => openPostgresStore({ url, log, ...options }) };
    });
  });

  async function open(url: string, environment: EnvironmentName = 'production'): Promise<Store> {
    const store = await openUnclosed(url, environment);
    onTestFinished(() => store.close());
    return store;
  }

  function openUnclosed(url: string, environment: EnvironmentName = 'production'): Promise<Store> {
    const vault = new Vault(masterKey, environment);
    return openPostgresStore({ url, environment, vault, clock: systemClock, log });
  }

  test('a connection that PostgreSQL closes during a transaction fails only that transaction', async () => {
    const url = await freshDatabase();
    const store = await open(url);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    const transaction = store.db.transaction().execute(async (inside) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(inside);
      const pid = rows[0]?.pid;
      await other.query('select pg_terminate_backend($1)', [pid]);
      const gone = 'select 1 from pg_stat_activity where pid = $1';
      while ((await other.query(gone, [pid])).rowCount !== 0);
      await sql`select 1`.execute(inside);
    });
    await expect(transaction).rejects.toThrow();
    await store.ping();
  });

  test('a read-only server is refused with a whole sentence', async () => {
    const url = new URL(await freshDatabase());
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const opened = open(url.href);
    await expect(opened).rejects.toBeInstanceOf(ConfigError);
    await expect(opened).rejects.toThrow(
      /^BELLHOP_PRODUCTION_DATABASE_URL: the database cannot be written to \(.*read-only/,
    );
  });

  test('slow reports leave connections for the look-up of keys', async () => {
    const store = await openUnclosed(await freshDatabase());
    const reports = Array.from({ length: 20 }, () => sql`select pg_sleep(60)`.execute(store.db));
    const over = Promise.allSettled(reports);
    expect(await store.keys.find('1')).toBeUndefined();
    expect(store.keyChanges.isCurrent()).toBe(true);
    await store.admissions.append([]);
    await store.close();
    expect(new Set((await over).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  test('several nodes can open an empty database at the same time', async () => {
    const url = await freshDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    for (const store of stores) {
      expect(await store.db.selectFrom('partner').selectAll().execute()).toEqual([]);
    }
  });

  test('two environments cannot share a database in two schemas', async () => {
    const url = new URL(await freshDatabase());
    await open(url.href);
    url.searchParams.set('options', '-c search_path=elsewhere');
    await expect(open(url.href, 'sandbox')).rejects.toThrow(
      'The database of BELLHOP_SANDBOX_DATABASE_URL belongs to production and cannot serve sandbox',
    );
  });

  test('tables of other programs in the same database do not matter', async () => {
    const url = await freshDatabase();
    const sql = await rawClient(url);
    // Another program may use the same names as our migrations.
    await sql.query('create table kysely_migration (name text); create table partner (id text)');
    const store = await open(url);
    expect(await store.db.selectFrom('partner').selectAll().execute()).toEqual([]);
  });

  test('a connection still works after a query on it has failed', async () => {
    const store = await open(await freshDatabase());
    for (let i = 0; i < 30; i++) {
      await expect(store.keys.grants('none')).rejects.toThrow('is missing');
      await expect(store.change('test', async () => {})).rejects.toThrow('without an audit row');
    }
    await store.ping();
  });

  async function environmentOn(url: string): Promise<SupportEnvironment> {
    const config = readConfig({
      BELLHOP_PRODUCTION_DATABASE_URL: url,
      BELLHOP_MASTER_KEY: masterKey.toString('base64'),
    });
    const closing = new AsyncDisposableStack();
    onTestFinished(() => closing.disposeAsync());
    const metrics = new Metrics();
    const parts = { name: 'production', config, masterKey, clock: systemClock, log } as const;
    const opened = await openEnvironment(parts, closing);
    const environment = await withLimiter(opened, metrics, closing);
    const webhooks = openWebhooks(environment, { config, metrics }, closing);
    return supportEnvironment(environment, webhooks, config);
  }

  async function newKey(environment: SupportEnvironment): Promise<string> {
    const partner = await createPartner(environment, 'test', {
      name: 'Test partner',
      integration_started_on: '2025-11-01',
      is_new: false,
    });
    return (await createKey(environment, 'test', partner.id, {})).key_id;
  }

  /** Starts all of them while the row is locked, so that each has read it before any can write. */
  async function atOnce(url: string, keyId: string, acts: (() => Promise<unknown>)[]) {
    const sql = await rawClient(url);
    await sql.query('begin');
    await sql.query('select 1 from bellhop.api_key where key_id = $1 for update', [keyId]);
    const outcomes = Promise.allSettled(acts.map((act) => act()));
    await untilWaiting(url, acts.length);
    await sql.query('commit');
    return outcomes;
  }

  test('of two rotations at the same time, one succeeds and the other is refused', async () => {
    const url = await freshDatabase();
    const [here, there] = [await environmentOn(url), await environmentOn(url)];
    const keyId = await newKey(here);
    const outcomes = await atOnce(url, keyId, [
      () => rotateKey(here, 'here', keyId, {}),
      () => rotateKey(there, 'there', keyId, {}),
    ]);
    const won = outcomes.filter((each) => each.status === 'fulfilled');
    const lost = outcomes.filter((each) => each.status === 'rejected');
    expect(won).toHaveLength(1);
    expect(lost).toMatchObject([{ reason: { code: 'changed_meanwhile', status: 409 } }]);

    const [shown] = won.map(({ value }) => (value as { api_key: string }).api_key);
    const stored = await here.store.keys.find(keyId);
    expect(stored?.digest).toBe(here.vault.digest(keyId, shown ?? ''));
    const rotations = await here.store.db
      .selectFrom('audit')
      .select('actor')
      .where('action', '=', 'key.rotate')
      .execute();
    expect(rotations).toHaveLength(1);
  });

  test('of two grants changed at the same time, none is lost silently', async () => {
    const url = await freshDatabase();
    const [here, there] = [await environmentOn(url), await environmentOn(url)];
    const keyId = await newKey(here);
    const outcomes = await atOnce(url, keyId, [
      () => putGrant(here, 'here', keyId, { endpoint: 'api/b2b/v3/hotel/info/', is_active: false }),
      () =>
        putGrant(there, 'there', keyId, { endpoint: 'api/b2b/v3/search/hp/', is_active: false }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'changed_meanwhile' },
    });
  });

  test('a raise is never compared with a grant that was replaced in the meantime', async () => {
    const url = await freshDatabase();
    const [here, there] = [await environmentOn(url), await environmentOn(url)];
    const keyId = await newKey(here);
    const endpoint = 'api/b2b/v3/search/hp/';
    const high = { endpoint, requests_number: 50, is_debug_mode: true };
    const { partner_id } = await getKey(here, keyId);
    await certifyPartner(here, 'test', partner_id, { reference: 'CERT-1' });
    await putGrant(here, 'test', keyId, {
      endpoint,
      requests_number: 50,
      approval_reference: 'OK',
    });
    await deleteGrant(here, 'test', keyId, endpoint);

    // Blocks the change at the insert of its new set, after it has read the last grant.
    const without = new GrantSet(await listGrants(here, keyId));
    const { id, json } = without.with({ ...defaultGrant(endpoint), ...high });
    const sql = await rawClient(url);
    await sql.query('begin');
    await sql.query('insert into bellhop.grant_set (id, grants) values ($1, $2)', [id, json]);
    const outcome = Promise.allSettled([putGrant(here, 'here', keyId, high)]);
    await untilWaiting(url, 1);
    await putGrant(there, 'there', keyId, { endpoint, requests_number: 5 });
    await deleteGrant(there, 'there', keyId, endpoint);
    await sql.query('rollback');

    expect(await outcome).toMatchObject([{ reason: { code: 'changed_meanwhile' } }]);
    const again = putGrant(here, 'here', keyId, high);
    await expect(again).rejects.toMatchObject({ code: 'approval_required' });
  });
});

async function rawClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Resolves when that many connections to the database wait for a lock. */
async function untilWaiting(url: string, count: number): Promise<void> {
  const sql = await rawClient(url);
  for (;;) {
    const { rows } = await sql.query(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows[0].waiting >= count) return;
  }
}
