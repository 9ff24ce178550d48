import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { query } from '../../../../kit/postgres.ts';
import { describeWithPostgres } from '../../../../test/support.ts';
import { storeConformance } from '../../../testing/conformance/store.ts';
import { HOSTILE, setInDatabase } from '../../../testing/database-settings.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/config/config.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { DatabaseAway } from '../../base/database-errors.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Vault } from '../../base/sealing/vault.ts';
import type { Store } from '../store.ts';
import { backOfficeTables, environmentTables } from '../table-sets.ts';
import { explained, migratePostgres } from './migrating.ts';
import { ALL_WORK, openPostgresStore } from './open.ts';

const log = createLogger('silent', () => {});
const masterKey = randomBytes(32);

test('a database that went away before its migrations is refused with a sentence', async () => {
  const nowhere = { url: 'postgres://127.0.0.1:1/none', environment: 'production', log } as const;
  for (const tables of [environmentTables, backOfficeTables]) {
    const migrated = migratePostgres(nowhere, tables);
    await expect(migrated).rejects.toBeInstanceOf(ConfigError);
    await expect(migrated).rejects.toThrow(
      /^BELLHOP_PRODUCTION_DATABASE_URL: the database cannot be opened \(.*ECONNREFUSED.*\)\.$/,
    );
  }
});

test('a certificate that is not trusted leads to the setting for authorities', () => {
  const away = new DatabaseAway('unable to verify the first certificate');
  expect((explained(away, 'BELLHOP_SANDBOX_DATABASE_URL') as Error).message).toBe(
    'BELLHOP_SANDBOX_DATABASE_URL: the database cannot be opened (unable to verify the first certificate); name the authority of its certificate in BELLHOP_CA_FILE.',
  );
});

describeWithPostgres('the store on PostgreSQL', (freshDatabase, databaseWithTables) => {
  describe('like every store, whatever is set for its database', () => {
    storeConformance(async () => {
      const url = await databaseWithTables();
      await setInDatabase(url, HOSTILE);
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
    const url = await databaseWithTables();
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

  test('while reports hold every connection of theirs, the others go on', async () => {
    const store = await open(await databaseWithTables());
    const ended = Promise.withResolvers<void>();
    const held = Array.from({ length: ALL_WORK.general }, () => {
      const begun = Promise.withResolvers<void>();
      const transaction = store.db.transaction().execute(async (inside) => {
        await sql`select 1`.execute(inside);
        begun.resolve();
        await ended.promise;
      });
      return { begun: begun.promise, transaction };
    });
    await Promise.all(held.map(({ begun }) => begun));
    await store.ping();
    expect(await store.promptDb.selectFrom('partner').selectAll().execute()).toEqual([]);
    expect(await store.keys.find('1')).toBeUndefined();
    const event = {
      event_id: 'e',
      type: 'created',
      partner_id: 'p',
      partner_order_id: 'o',
    } as const;
    const { verdicts } = await store.orders.accept([[event]], Date.now(), () => undefined);
    expect(verdicts).toEqual([{ rejection: { index: 0, reason: 'unknown_partner' } }]);
    ended.resolve();
    await Promise.all(held.map(({ transaction }) => transaction));
  });

  test('connections that are opened after a change of credentials use the new ones', async () => {
    const url = await databaseWithTables();
    const store = await open(url);
    const admin = new pg.Client({ connectionString: url, application_name: 'the test' });
    await admin.connect();
    onTestFinished(() => admin.end());
    const next = new URL(url);
    next.username = `bellhop_${next.pathname.slice(-16)}`;
    await admin.query(`create role ${next.username} superuser login`);
    onTestFinished(async () => void (await query(url, `drop role ${next.username}`)));
    const users = async () => {
      const { rows } = await sql<{ user: string }>`select current_user as user`.execute(store.db);
      return rows[0]?.user;
    };
    const before = await users();
    expect(store.useCredentials?.({ url })).toBe(false);
    expect(store.useCredentials?.({ url: next.href })).toBe(true);
    expect(await users()).toBe(before);
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'bellhop%'`,
    );
    await expect.poll(() => users().catch(() => undefined)).toBe(next.username);
  });

  test('a user that PostgreSQL does not let in is told as such', async () => {
    const url = new URL(await freshDatabase());
    url.username = 'nobody';
    await expect(open(url.href)).rejects.toThrow(
      /^BELLHOP_PRODUCTION_DATABASE_URL: the database cannot be opened \(.*"nobody".*\); check the user and password in it\.$/,
    );
  });

  test('a server that may lose what it has confirmed is warned of, once per process', async () => {
    const url = await databaseWithTables();
    const client = await rawClient(url);
    const unsafe = await client.query(
      `select name from pg_settings
        where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`,
    );
    const warned: unknown[] = [];
    const warnings = createLogger('warn', (line) => void warned.push(JSON.parse(line).setting));
    const vault = new Vault(masterKey, 'production');
    for (const attach of [false, true]) {
      const options = { url, environment: 'production', vault, clock: systemClock } as const;
      const store = await openPostgresStore({ ...options, attach, log: warnings });
      await store.close();
    }
    expect(warned.toSorted()).toEqual(unsafe.rows.map(({ name }) => name));
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
    const store = await openUnclosed(await databaseWithTables());
    const reports = Array.from({ length: 20 }, () => sql`select pg_sleep(60)`.execute(store.db));
    const over = Promise.allSettled(reports);
    expect(await store.keys.find('1')).toBeUndefined();
    expect(store.invalidations.isCurrent()).toBe(true);
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
    const store = await open(await databaseWithTables());
    for (let i = 0; i < 30; i++) {
      await expect(store.keys.grants('none')).rejects.toThrow('is missing');
      await expect(store.change('test', async () => {})).rejects.toThrow('without an audit row');
    }
    await store.ping();
  });
});

async function rawClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
