/** A migration in steps, while others use the tables, and after it was killed. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { createLogger } from '../../base/logging/logger.ts';
import type { Step } from '../migrations/migration.ts';
import { backOfficeTables, environmentTables, type TableSet } from '../table-sets.ts';
import { type DoneStep, LOCK_WAIT_MS, LONGEST_CHANGE_MS } from './migrate-in-steps.ts';
import { migratePostgres } from './migrating.ts';
import { planPostgres, timeOnCopy } from './migration-plan.ts';

const ROWS = 3_000;
const log = createLogger('silent', () => {});

const STEPS: readonly Step[] = [
  { kind: 'change', table: 'delivery', statements: ['alter table delivery add column next text'] },
  {
    kind: 'fill',
    table: 'delivery',
    key: 'seq',
    set: 'next = event_id',
    where: 'next is null',
  },
  { kind: 'index', table: 'delivery', name: 'delivery_next', on: '(next)' },
  {
    kind: 'change',
    table: 'delivery',
    statements: [`comment on column delivery.next is 'filled'`],
  },
];
const next: TableSet = {
  ...environmentTables,
  migrations: { ...environmentTables.migrations, '9000-next': STEPS },
};

test('every migration after the first of a set is a list of steps', () => {
  for (const { migrations } of [environmentTables, backOfficeTables]) {
    const [first, ...later] = Object.values(migrations);
    expect(typeof first).toBe('function');
    for (const one of later) expect(typeof one).toBe('object');
  }
});

test('nobody waits for a change for longer than a second', () => {
  expect(LOCK_WAIT_MS + LONGEST_CHANGE_MS).toBeLessThan(1_000);
});

describeWithPostgres('a migration in steps', (_empty, databaseWithTables) => {
  async function session(url: string, setup = ''): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end().catch(() => {}));
    await client.query(`set search_path to bellhop; ${setup}`);
    return client;
  }

  async function filled() {
    const url = await databaseWithTables();
    const client = await session(url);
    await client.query(`insert into delivery (event_id, type, partner_id, partner_order_id, accepted_at)
      select n, 'created', 'par_1', n, n from generate_series(1, ${ROWS}) as n`);
    const done: DoneStep[] = [];
    const migrate = () =>
      migratePostgres({ url, environment: 'production', log }, next, (one) => done.push(one));
    const kinds = () => done.map(({ step }) => step?.kind);
    const unfilled = async () =>
      Number(
        (await client.query('select count(*) from delivery where next is null')).rows[0].count,
      );
    const plan = () => planPostgres(url, next, log, 'The database');
    return { url, client, migrate, kinds, done, unfilled, plan };
  }

  /** A caller that accepts and reads as nodes do, and fails if it waits for a lock for a second. */
  async function caller(url: string) {
    const client = await session(url, `set lock_timeout to '1s'`);
    let isOver = false;
    let calls = 0;
    const ended = (async () => {
      while (!isOver) {
        const id = `call-${calls++}`;
        await client.query(
          `insert into delivery (event_id, type, partner_id, partner_order_id, accepted_at)
           values ($1, 'created', 'par_2', $1, 1)`,
          [id],
        );
        await client.query('select seq from delivery where event_id = $1', [id]);
      }
    })();
    return {
      end() {
        isOver = true;
        return ended;
      },
      calls: () => calls,
    };
  }

  test('lets calls go on, also while a long transaction keeps it from its lock', async () => {
    const { url, migrate, kinds, client, plan } = await filled();
    expect((await plan()).map(({ what, locks }) => [what, locks])).toEqual([
      ['change delivery', 'delivery, for less than a second'],
      ['fill in rows of delivery', 'a few rows at a time'],
      ['build the index delivery_next of delivery', 'none that calls wait for'],
      ['change delivery', 'delivery, for less than a second'],
    ]);
    const reader = await session(url, 'begin; select 1 from delivery limit 1');
    const one = await caller(url);
    const migrated = migrate();
    // More than one try for the lock.
    await pause(LOCK_WAIT_MS + 200);
    const before = one.calls();
    await pause(LOCK_WAIT_MS);
    expect(kinds()).toEqual([]);
    await reader.query('commit');
    await migrated;
    expect(kinds()).toEqual(['change', 'fill', 'index', 'change']);
    await one.end();
    expect(one.calls()).toBeGreaterThan(before);
    const { rows } = await client.query(
      'select count(*) filter (where next = event_id) as filled from delivery where seq <= $1',
      [ROWS],
    );
    expect(Number(rows[0].filled)).toBe(ROWS);
    expect(await plan()).toEqual([]);
    expect(
      (await client.query(`select name from kysely_migration where name like '%#%'`)).rows,
    ).toEqual([]);
  });

  test('continues after it was killed, without repeating what is done', async () => {
    const { url, migrate, kinds, done, unfilled, client, plan } = await filled();
    // The fill waits at its last row, for a lock that keeps nobody else from the table.
    await session(url, 'select pg_advisory_lock(1)');
    await client.query(`
      create function wait() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
      create trigger wait before update on delivery for each row when (new.seq = ${ROWS})
        execute function wait()`);
    const failed = expect(migrate()).rejects.toThrow('terminating connection');
    for (;;) {
      const { rows } = await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'bellhop migrations' and wait_event_type = 'Lock'
          and datname = current_database()`);
      if (rows.length > 0) break;
      await pause(20);
    }
    await failed;
    await client.query('drop trigger wait on delivery');
    expect(kinds()).toEqual(['change']);
    expect(await unfilled()).toBeGreaterThan(0);
    expect(await plan()).toHaveLength(3);
    // And it left an index that is not valid.
    await client.query(
      'insert into delivery (event_id, type, partner_id, partner_order_id, accepted_at, next) values ($1, $1, $1, $1, 1, $1), ($2, $1, $1, $1, 1, $1)',
      ['a', 'b'],
    );
    await expect(
      client.query('create unique index concurrently delivery_next on delivery (next)'),
    ).rejects.toThrow('could not create unique index');
    done.length = 0;
    await migrate();
    expect(kinds()).toEqual(['fill', 'index', 'change']);
    expect(await unfilled()).toBe(0);
    const { rows } = await client.query(
      `select indisvalid, indisunique from pg_index where indexrelid = 'delivery_next'::regclass`,
    );
    expect(rows).toEqual([{ indisvalid: true, indisunique: false }]);
  });

  test('walks past every row once, also if none is ever done', async () => {
    const { url, client } = await filled();
    const steps: readonly Step[] = [
      {
        kind: 'change',
        table: 'delivery',
        statements: ['alter table delivery add column seen integer not null default 0'],
      },
      { kind: 'fill', table: 'delivery', key: 'event_id', set: 'seen = seen + 1', where: 'true' },
    ];
    const migrations = { ...environmentTables.migrations, '9000-seen': steps };
    await migratePostgres({ url, environment: 'production', log }, { ...next, migrations });
    const { rows } = await client.query('select seen, count(*)::int from delivery group by seen');
    expect(rows).toEqual([{ seen: 1, count: ROWS }]);
  });

  test('is timed on a copy, and nodes that start together take turns', async () => {
    const copy = await filled();
    const timed = await timeOnCopy(copy.url, next, log);
    expect(timed.map(({ what }) => what)).toEqual([
      'change delivery',
      'fill in rows of delivery',
      'build the index delivery_next of delivery',
      'change delivery',
    ]);
    const { migrate, kinds } = await filled();
    await Promise.all([migrate(), migrate(), migrate()]);
    expect(kinds()).toHaveLength(4);
  });
});
