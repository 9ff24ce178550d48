/** What a pool does when PostgreSQL takes its time or says nothing at all. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { eventually } from '../../../testing/eventually.ts';
import { type PostgresProxy, startPostgresProxy } from '../../../testing/postgres-proxy.ts';
import { DatabaseAway } from '../../base/database-errors.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Liveness } from './liveness.ts';
import { BoundedPool, type PoolOptions } from './pool.ts';

const ANSWER_MS = 1_000;
const log = createLogger('silent', () => {});

describeWithPostgres('a pool', (freshDatabase) => {
  async function openPool(options: Partial<PoolOptions> = {}) {
    const proxy = await startPostgresProxy(await freshDatabase());
    const liveness = new Liveness(0);
    const pool = new BoundedPool({
      url: proxy.url,
      name: 'bellhop test',
      connections: 1,
      waitMs: 5_000,
      connectMs: 5_000,
      answerMs: ANSWER_MS,
      statementMs: 60_000,
      liveness,
      log,
      ...options,
    });
    onTestFinished(() => (pool.ending ? undefined : pool.close()));
    // Never ended by itself: that would end the pool.
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) });
    return { proxy, liveness, pool, db };
  }

  const hasOpen = (proxy: PostgresProxy, connections: number) =>
    eventually(
      async () => proxy.connections,
      (open) => open === connections,
    );

  /** On a busy machine, connecting may take longer than the wait. */
  const untilConnected = (pool: BoundedPool) =>
    expect.poll(() => pool.query('select 1').then(({ rowCount }) => rowCount, String)).toBe(1);

  test('throws a connection away whose statement is not answered in time', async () => {
    const { proxy, db } = await openPool();
    await expect(sql`select pg_sleep(60)`.execute(db)).rejects.toThrow(DatabaseAway);
    // The only connection there may be: one that was still asleep could not answer.
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    await hasOpen(proxy, 1);
  });

  test('does not wait a second time to roll the transaction back', async () => {
    const { db } = await openPool();
    const asleep = db.transaction().execute((inside) => sql`select pg_sleep(60)`.execute(inside));
    // What the rollback says of the connection, which was thrown away already.
    await expect(asleep).rejects.toThrow('is not queryable');
    await expect(asleep).rejects.toThrow(DatabaseAway);
  });

  test('says that PostgreSQL is away if a connection ends in the middle of a statement', async () => {
    const { proxy, pool, db } = await openPool({ answerMs: 60_000 });
    const otherUrl = await freshDatabase();
    const port = Number(new URL(otherUrl).port);
    const other = new pg.Client(otherUrl);
    await other.connect();
    onTestFinished(() => other.end());
    const asleep = sql`select pg_sleep(60)`;
    for (const ask of [
      () => pool.query('select pg_sleep(60)'),
      () => asleep.execute(db),
      () => db.transaction().execute((inside) => asleep.execute(inside)),
    ]) {
      for (const end of [() => proxy.retarget(port), endedByPostgres]) {
        // The pool may not have noticed yet that the last connection has ended.
        await eventually(
          () => pool.query('select 1').catch(() => undefined),
          (answer) => answer !== undefined,
        );
        const failed = expect(ask()).rejects.toThrow(DatabaseAway);
        await areAsleep(1);
        await end();
        await failed;
        // It does not notice by itself that a connection is gone.
        await endedByPostgres();
        await areAsleep(0);
      }
    }

    async function areAsleep(count: number): Promise<void> {
      await eventually(
        () => sleeping('pid'),
        ({ length }) => length === count,
      );
    }
    async function endedByPostgres(): Promise<void> {
      await sleeping('pg_terminate_backend(pid)');
    }
    async function sleeping(what: string): Promise<unknown[]> {
      const { rows } = await other.query(
        `select ${what} from pg_stat_activity where wait_event = 'PgSleep' and datname = $1`,
        [new URL(proxy.url).pathname.slice(1)],
      );
      return rows;
    }
  });

  test('keeps a connection after an error that is an answer', async () => {
    const { db } = await openPool();
    const pid = () => sql`select pg_backend_pid() as pid`.execute(db);
    const before = await pid();
    await expect(sql`select 1 / 0`.execute(db)).rejects.toThrow('division by zero');
    expect((await pid()).rows).toEqual(before.rows);
  });

  test('asks nothing while PostgreSQL is silent, unless it is there to find out', async () => {
    const { liveness, pool, db } = await openPool();
    liveness.missed(performance.now());
    await expect(pool.query('select 1')).rejects.toThrow('PostgreSQL does not answer');
    await expect(sql`select 1`.execute(db)).rejects.toThrow('PostgreSQL does not answer');
    liveness.heard();
    await pool.query('select 1');
    const watch = await openPool({ asksInSilence: true });
    watch.liveness.missed(performance.now());
    await watch.pool.query('select 1');
    expect(watch.liveness.isMissing).toBe(false);
  });

  test('bounds the wait for a free connection', async () => {
    const { pool } = await openPool({ waitMs: 100, answerMs: 60_000 });
    await untilConnected(pool);
    const client = await pool.connect();
    await expect(pool.query('select 1')).rejects.toThrow('no connection to PostgreSQL became free');
    client.release();
    await pool.query('select 1');
  });

  test('bounds the wait for a connection to a server that says nothing', async () => {
    const { proxy, pool } = await openPool({ connectMs: 100 });
    proxy.freeze();
    await expect(pool.query('select 1')).rejects.toThrow('PostgreSQL does not answer');
    proxy.thaw();
    await hasOpen(proxy, 0);
    await untilConnected(pool);
  });

  test('can be emptied: idle connections are replaced, statements under way fail', async () => {
    const { proxy, pool } = await openPool({ connections: 2, answerMs: 60_000 });
    await Promise.all([pool.query('select 1'), pool.query('select 1')]);
    await hasOpen(proxy, 2);
    pool.discardIdle();
    await hasOpen(proxy, 0);
    const underWay = pool.query('select pg_sleep(60)');
    const failed = expect(underWay).rejects.toThrow(DatabaseAway);
    await hasOpen(proxy, 1);
    await pool.query('select 1');
    pool.discardIdle();
    await hasOpen(proxy, 1);
    pool.discardAll();
    await failed;
    await hasOpen(proxy, 0);
    await pool.query('select 1');
  });

  test('closes though nobody says goodbye, and though a statement is under way', async () => {
    const { proxy, pool } = await openPool({ connections: 2, answerMs: 60_000 });
    await Promise.all([pool.query('select 1'), pool.query('select 1')]);
    const underWay = pool.query('select pg_sleep(60)');
    const failed = expect(underWay).rejects.toThrow(DatabaseAway);
    proxy.swallow();
    await pool.close();
    await failed;
    await hasOpen(proxy, 0);
  });
});
