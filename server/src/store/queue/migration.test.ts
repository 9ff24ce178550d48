/** What a database of before 0008 comes to, and that nothing which happens meanwhile loses any of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  describeWithOldDatabase,
  type OldDatabase,
  oldSqlite,
  type Row,
} from '../../../testing/databases/old-database.ts';
import { shardOf } from '../../delivery/queue.ts';

const FACTS = `seq, event_id, type, partner_id, partner_order_id, agreement_number, status,
  asked_midoffice_id, midoffice_id, accepted_at`;
const UNTOUCHED = [
  'attempt',
  'partner',
  'api_key',
  'grant_set',
  'midoffice',
  'audit',
  'meta',
  'minute_stat',
  'last_attempt',
] as const;

/** As docs/delivery-queue.md defines it. */
const STATES = `
  select d.event_id, case when p.seq is not null then 'pending' when g.seq is not null then g.state
                          when d.midoffice_id is null then 'unrouted' else 'delivered' end as state
    from delivery d left join pending p on p.seq = d.seq left join given_up g on g.seq = d.seq
   order by d.seq`;

const PENDING = `select d.event_id, p.* from pending p join delivery d on d.seq = p.seq`;

describeWithOldDatabase('the migration of the queue', (freshOld, engine) => {
  test('keeps the state of every delivery', async () => {
    const old = await freshOld();
    const before = await old.query('select event_id, state from delivery order by seq');
    await old.migrate();
    const after = await old.query(STATES);
    expect(after).toEqual(before);
    const counts = Object.groupBy(after, (row) => row.state);
    for (const [state, count] of Object.entries(old.facts.counts)) {
      expect(counts[state], state).toHaveLength(count);
    }
  });

  test('queues what was pending with its time, its steps, its key and its order', async () => {
    const old = await freshOld();
    const before = await old.query("select * from delivery where state = 'pending' order by seq");
    await old.migrate();
    const after = await old.query('select * from pending order by seq');
    expect(after).toEqual(before.map(queued));
  });

  test('has what was under way due at once', async () => {
    const old = await freshOld();
    const leased = await old.query(
      "select event_id from delivery where state = 'pending' and lease is not null order by seq",
    );
    expect(leased.map((row) => row.event_id)).toEqual([
      'by hand under way',
      'under way',
      'under way and asked for',
      'revived under way',
      'first under way',
    ]);
    await old.migrate();
    const pending = await byEvent(old, PENDING);
    for (const { event_id } of leased) expect(pending[event_id]?.due_at, event_id).toBe(0);
    expect(pending['cancelled under way']).toBeUndefined();
  });

  test('keeps an attempt by hand apart from the schedule, also one that was under way', async () => {
    const old = await freshOld();
    await old.migrate();
    const pending = await byEvent(old, PENDING);
    const scheduled_at = old.facts.now + 55_000;
    expect(pending['by hand']).toMatchObject({ due_at: old.facts.now, scheduled_at });
    expect(pending['by hand under way']).toMatchObject({ due_at: 0, scheduled_at });
    expect(pending['waits for its first retry']).toMatchObject({
      due_at: scheduled_at,
      scheduled_at: null,
      retries_used: 1,
    });
  });

  test('tells orders of the same id apart by their partner', async () => {
    const old = await freshOld();
    await old.migrate();
    const pending = await byEvent(old, PENDING);
    const { partners } = old.facts;
    const keys = ['first of A', 'third of A', 'second of the other A', 'never tried 1'].map(
      (event) => pending[event]?.order_key,
    );
    const other = `${partners['per order, too']} A`;
    expect(keys).toEqual([...Array(2).fill(`${partners['per order']} A`), other, null]);
  });

  test('says when and why deliveries were given up', async () => {
    const old = await freshOld();
    const before = await old.query(
      "select * from delivery where state in ('exhausted', 'cancelled') order by seq",
    );
    await old.migrate();
    const after = await old.query('select * from given_up order by seq');
    const why = [null, null, 'status', null];
    expect(after).toEqual(
      before.map(({ seq, midoffice_id, state, settled_at }, i) => {
        return { seq, midoffice_id, state, at: settled_at, why: why[i] };
      }),
    );
  });

  test('leaves facts, attempts and everything else as they were', async () => {
    const old = await freshOld();
    const facts = await old.query(`select ${FACTS} from delivery order by seq`);
    const before = await contents(old, UNTOUCHED);
    await old.migrate();
    expect(await old.query('select * from delivery order by seq')).toEqual(facts);
    // The column is of a later migration.
    const api_key = before.api_key.map((row) => ({ ...row, earlier_keys: null }));
    expect(await contents(old, UNTOUCHED)).toEqual({ ...before, api_key });
    expect(before.attempt.some((row) => row.url === null)).toBe(true);
  });

  test('never gives a number again, also where the newest deliveries were deleted', async () => {
    const old = await freshOld();
    const [newest] = await old.query('select max(seq) as seq from delivery');
    expect(newest?.seq).toBeLessThan(old.facts.last_seq);
    await old.migrate();
    const insert = (eventId: string) =>
      old.query(`insert into delivery (event_id, type, partner_id, partner_order_id, accepted_at)
                 values ('${eventId}', 'updated', 'p', 'o', 1) returning seq`);
    expect(await insert('a new one')).toEqual([{ seq: old.facts.last_seq + 1 }]);
    await expect(insert('delivered at once')).rejects.toThrow(/unique/i);
  });

  test('leaves a database alone that has been migrated', async () => {
    const old = await freshOld();
    await old.migrate();
    const before = await everything(old);
    await old.migrate();
    expect(await everything(old)).toEqual(before);
  });

  test('gives every shard and no node', async () => {
    const old = await freshOld();
    await old.migrate();
    const shards = await old.query('select * from shard order by n');
    expect(shards).toEqual(
      Array.from({ length: 64 }, (_, n) => ({ n, node: null, epoch: 0, until: 0, in_flight: 0 })),
    );
    expect(await old.query('select * from delivery_node')).toEqual([]);
  });

  if (engine === 'postgres') {
    test('is undone whole when PostgreSQL ends its session, and can be repeated', async () => {
      const old = await freshOld();
      const before = await contents(old, ['delivery', 'attempt', 'kysely_migration']);
      const other = await session(old);
      // Stops the migration halfway: it asks the attempts why deliveries were given up.
      await other.query('begin; lock table attempt');
      const migrating = old.migrate();
      const failed = expect(migrating).rejects.toThrow('terminating connection');
      const pid = await waiting(old);
      await old.query(`select pg_terminate_backend(${pid})`);
      await failed;
      await other.query('rollback');
      expect(await contents(old, ['delivery', 'attempt', 'kysely_migration'])).toEqual(before);
      expect(await old.query("select to_regclass('pending') as pending")).toEqual([
        { pending: null },
      ]);
      await old.migrate();
      expect(await old.query(STATES)).toHaveLength(before.delivery.length);
    });

    test('waits for a node of before that is accepting an event, and queues it', async () => {
      const old = await freshOld();
      const node = await session(old);
      await node.query(`begin; insert into delivery (event_id, type, partner_id, partner_order_id,
          midoffice_id, ordered, state, due_at, attempts_made, retries_used, accepted_at)
        values ('at the last moment', 'updated', '${old.facts.partners.any}', 'any-7',
          '${old.facts.midoffices.any}', 0, 'pending', 1, 0, 0, 1)`);
      const migrating = old.migrate();
      await waiting(old);
      await node.query('commit');
      await migrating;
      expect((await byEvent(old, PENDING))['at the last moment']).toMatchObject({ due_at: 1 });
    });

    test('makes a second node that starts meanwhile wait for the first', async () => {
      const old = await freshOld();
      await Promise.all([old.migrate(), old.migrate()]);
      const counts = await old.query('select count(*) as count from pending');
      expect(counts).toEqual([{ count: old.facts.counts.pending }]);
    });
  }
});

describe('a process that is killed during the migration, embedded', () => {
  const statements = [
    'create index pending_due',
    'insert into fact',
    'drop table delivery',
    'alter table fact',
    'create index delivery_unrouted',
    'commit',
  ];

  test.for(statements)('before "%s" leaves the database as it was', async (statement) => {
    const old = await oldSqlite();
    const before = await everything(old);
    await dieMigrating(old, statement);
    expect(await everything(old)).toEqual(before);
    await expectMigratesAsEver(old);
  });

  test('after the commit leaves it migrated, although Kysely does not know', async () => {
    const old = await oldSqlite();
    await dieMigrating(old, 'insert into kysely_migration');
    expect((await old.query('select * from pending')).length).toBe(old.facts.counts.pending);
    await expectMigratesAsEver(old);
  });

  test('in the middle of 200,000 deliveries loses none of them', { timeout: 120_000 }, async () => {
    const old = await oldSqlite();
    const file = join(old.where, 'bellhop.db');
    growTo(file, 200_000);
    const before = await old.query(
      'select state, count(*) as count, sum(seq) as sum from delivery group by state order by state',
    );
    const { child, ended } = migrateInChild(old);
    // Written before the commit, which comes with tens of megabytes.
    while (logSize(file) < 4_000_000 && child.exitCode === null) await nextTurn();
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await old.query("select name from sqlite_master where name = 'pending'")).toEqual([]);
    await old.migrate();
    expect(
      await old.query(`select state, count(*) as count, sum(seq) as sum
        from (select d.seq, ${STATES.slice(STATES.indexOf('case'))}) group by state order by state`),
    ).toEqual(before);
  });
});

/** What the migration is to make of a pending delivery of before. */
function queued(row: Row): Row {
  return {
    seq: row.seq,
    shard: shardOf(row.midoffice_id),
    midoffice_id: row.midoffice_id,
    order_key: row.ordered ? `${row.partner_id} ${row.partner_order_id}` : null,
    due_at: row.lease === null ? row.due_at : 0,
    retries_used: row.retries_used,
    attempts_made: row.attempts_made,
    scheduled_at: row.scheduled_at,
    asked_at: null,
    last_key: row.last_key,
  };
}

async function byEvent(old: OldDatabase, sql: string): Promise<Record<string, Row>> {
  return Object.fromEntries((await old.query(sql)).map((row) => [row.event_id, row]));
}

async function contents<Table extends string>(
  old: OldDatabase,
  tables: readonly Table[],
): Promise<Record<Table, Row[]>> {
  const found = {} as Record<Table, Row[]>;
  for (const table of tables)
    found[table] = await old.query(`select * from ${table} order by 1, 2`);
  return found;
}

/** Every row of every table, and on SQLite the schema with it. */
async function everything(old: OldDatabase): Promise<Record<string, Row[]>> {
  const tables = await old.query(
    old.engine === 'sqlite'
      ? "select name from sqlite_master where type = 'table' and name not like 'sqlite_stat%'"
      : "select tablename as name from pg_tables where schemaname = 'bellhop'",
  );
  const found = await contents(
    old,
    tables.map((table) => table.name as string),
  );
  if (old.engine === 'sqlite') {
    found.schema = await old.query('select type, name, sql from sqlite_master order by name');
  }
  return found;
}

function migrateInChild(old: OldDatabase, statement: string[] = []) {
  const program = fileURLToPath(
    new URL('../../../testing/databases/migrate-file.ts', import.meta.url),
  );
  const args = [program, join(old.where, 'bellhop.db'), ...statement];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: once(child, 'exit') };
}

async function dieMigrating(old: OldDatabase, statement: string): Promise<void> {
  const { ended } = migrateInChild(old, [statement]);
  expect(await ended).toEqual([null, 'SIGKILL']);
}

async function expectMigratesAsEver(old: OldDatabase): Promise<void> {
  const undisturbed = await oldSqlite();
  await undisturbed.migrate();
  await old.migrate();
  const [{ kysely_migration: mine, ...rest }, { kysely_migration: its, ...other }] = [
    await everything(old),
    await everything(undisturbed),
  ];
  expect(rest).toEqual(other);
  // When it was done differs.
  expect(mine?.map((row) => row.name)).toEqual(its?.map((row) => row.name));
}

function growTo(file: string, deliveries: number): void {
  const database = new DatabaseSync(file);
  database.exec(`
    pragma synchronous = off;
    pragma cache_size = -200000;
    with recursive s (n) as (select 1 union all select n + 1 from s where n < ${deliveries})
    insert into delivery (event_id, type, partner_id, partner_order_id, midoffice_id, ordered, state,
                          due_at, attempts_made, retries_used, accepted_at, settled_at)
    select hex(randomblob(16)), 'updated', 'par_' || n % 100, 'order-' || n / 3, 'mid_' || n % 100,
           n % 2, case n % 10 when 0 then 'pending' when 1 then 'exhausted' else 'delivered' end,
           case n % 10 when 0 then n end, 1, 0, n, case n % 10 when 0 then null else n end from s`);
  database.close();
}

function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** A session of its own on PostgreSQL, ended with the test. */
async function session(old: OldDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: old.where });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('set search_path to bellhop');
  return client;
}

/** Resolves to the migration's process in PostgreSQL once it waits for another session's lock. */
async function waiting(old: OldDatabase): Promise<number> {
  for (;;) {
    const [row] = await old.query(`select pid from pg_stat_activity
      where application_name = 'bellhop migrations' and wait_event_type = 'Lock'
        and datname = current_database()`);
    if (row) return row.pid;
    await nextTurn();
  }
}
