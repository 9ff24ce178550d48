/** A PostgreSQL that can be written to again is written to again, without a restart of anything. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { query } from '../../../../kit/postgres.ts';
import { describeWithPostgres, startPooler } from '../../../../test/support.ts';
import { setInDatabase } from '../../../testing/database-settings.ts';
import { systemClock } from '../../base/clock.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Vault } from '../../base/sealing/vault.ts';
import { storageTroubleOf } from '../storage-trouble.ts';
import type { Store } from '../store.ts';
import { Liveness } from './liveness.ts';
import { openPostgresStore } from './open.ts';
import { BoundedPool } from './pool.ts';
import { endOutdatedSessions } from './read-only.ts';

const log = createLogger('silent', () => {});
const pgbouncer = inject('pgbouncerProgram');

describeWithPostgres('a database that was read-only', (_empty, databaseWithTables) => {
  async function open(url: string): Promise<Store> {
    const vault = new Vault(randomBytes(32), 'production');
    const options = { url, environment: 'production', vault, clock: systemClock, log } as const;
    const store = await openPostgresStore(options);
    onTestFinished(() => store.close());
    return store;
  }

  /** All sessions end, and those that follow can only read. */
  async function makeReadOnly(url: string): Promise<void> {
    await setInDatabase(url, { default_transaction_read_only: 'on' });
    await query(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  const makeWritable = (url: string) =>
    setInDatabase(url, { default_transaction_read_only: 'default' });

  /** On each kind of connection that writes. */
  const writes = (store: Store): (() => unknown)[] => [
    () => sql`update meta set value = value`.execute(store.db),
    () => sql`update meta set value = value`.execute(store.promptDb),
    () =>
      store.shards.renew({ id: 'node', host: 'host' }, { inFlight: new Map(), isRetiring: false }),
    () => store.admissions.append([{ keyId: 'k', endpoint: 'e', atMs: 1, keepUntilMs: 1 }]),
    () => store.ping(),
  ];

  async function outcome(write: () => unknown): Promise<string> {
    try {
      await write();
      return 'written';
    } catch (error) {
      return storageTroubleOf(error) ?? 'failed';
    }
  }

  async function expectRecovery(store: Store, database: string): Promise<void> {
    // All of them again and again: a connection that nobody uses would be closed by itself.
    const outcomes = () => Promise.all(writes(store).map(outcome));
    const all = (wanted: string) => writes(store).map(() => wanted);
    await makeReadOnly(database);
    await expect.poll(outcomes, { timeout: 30_000 }).toEqual(all('storage_read_only'));
    await makeWritable(database);
    await expect.poll(outcomes, { timeout: 30_000 }).toEqual(all('written'));
  }

  test('is written to on every connection', async () => {
    const url = await databaseWithTables();
    await expectRecovery(await open(url), url);
  });

  test('is not watched by a session that can only read', async () => {
    const url = await databaseWithTables();
    const { db } = await open(url);
    /** The session that is open all the time, and was opened while the database was read-only. */
    const watching = () =>
      sql<{ pid: number }>`
        select pid from pg_stat_activity
         where datname = current_database() and application_name like 'bellhop % watch'`
        .execute(db)
        .then(
          ({ rows }) => rows[0]?.pid ?? 0,
          () => 0,
        );
    const before = await watching();
    await makeReadOnly(url);
    await expect.poll(watching).not.toBeOneOf([0, before]);
    const opened = await watching();
    await makeWritable(url);
    await expect.poll(watching, { timeout: 30_000 }).not.toBeOneOf([0, opened]);
  });

  describe.skipIf(pgbouncer === null)('behind PgBouncer', () => {
    test('in session mode, whose sessions outlive our connections, is written to as well', async () => {
      const url = await databaseWithTables();
      const pooler = await startPooler(url, { settings: ['pool_mode = session'] });
      await expectRecovery(await open(pooler.url), url);
    });

    test('in transaction mode: outdated sessions are ended, and no others', async () => {
      const url = await databaseWithTables();
      // Before the pooler has a session: it refused a client when it had not noticed yet that its session was ended.
      await makeReadOnly(url);
      const pooler = await startPooler(url, { settings: ['pool_mode = transaction'] });
      const pool = new BoundedPool({
        ...{ url: pooler.url, name: 'bellhop test', connections: 5, isPooled: true },
        ...{ waitMs: 5_000, connectMs: 5_000, answerMs: 5_000, statementMs: 5_000 },
        ...{ liveness: new Liveness(), log },
      });
      onTestFinished(() => pool.close());
      const five = <T>(use: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, use));
      /** As many sessions at once as there are connections. */
      const sessions = async () => {
        const clients = await five(() => pool.connect());
        try {
          for (const client of clients) await client.query('begin');
          const asked = clients.map((client) =>
            client.query('select pg_backend_pid() as pid, current_setting($1) as value', [
              'transaction_read_only',
            ]),
          );
          const rows = (await Promise.all(asked)).map(({ rows: [row] }) => row);
          for (const client of clients) await client.query('commit');
          return rows as { pid: number; value: 'on' | 'off' }[];
        } finally {
          for (const client of clients) client.release();
        }
      };
      const before = await sessions();
      expect(before.map(({ value }) => value)).toEqual(Array(5).fill('on'));
      await endOutdatedSessions(pool);
      const pids = (some: typeof before) => some.map(({ pid }) => pid).toSorted();
      expect(pids(await sessions())).toEqual(pids(before));
      await makeWritable(url);
      await endOutdatedSessions(pool);
      expect((await sessions()).map(({ value }) => value)).toEqual(Array(5).fill('off'));
    });
  });
});
