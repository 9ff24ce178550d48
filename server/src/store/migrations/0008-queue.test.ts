/** What the migration of the queue (0008) makes of an older database. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { contents, everything, STATES } from '../../../testing/databases/contents.ts';
import {
  describeWithOldDatabase,
  type OldDatabase,
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

  test('queues pending deliveries with their time, steps, key and order', async () => {
    const old = await freshOld();
    const before = await old.query("select * from delivery where state = 'pending' order by seq");
    const results = await lastResults(old);
    await old.migrate();
    const after = await old.query('select * from pending order by seq');
    expect(after).toEqual(
      before.map((row) => ({ ...queued(row), last_result: results.get(row.seq) ?? null })),
    );
  });

  test('makes attempts that were in flight due at once', async () => {
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

  test('keeps manual attempts apart from the schedule, even one that was in flight', async () => {
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

  test('distinguishes orders with the same id by their partner', async () => {
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

  test('records when and why deliveries were given up', async () => {
    const old = await freshOld();
    const before = await old.query(
      "select * from delivery where state in ('exhausted', 'cancelled') order by seq",
    );
    const results = await lastResults(old);
    await old.migrate();
    const after = await old.query('select * from given_up order by seq');
    const why = [null, null, 'status', null];
    expect(after).toEqual(
      before.map(({ seq, midoffice_id, state, settled_at }, i) => {
        const last_result = results.get(seq) ?? null;
        return { seq, midoffice_id, state, at: settled_at, why: why[i], last_result };
      }),
    );
  });

  test('leaves facts, attempts and everything else unchanged', async () => {
    const old = await freshOld();
    const facts = await old.query(`select ${FACTS} from delivery order by seq`);
    const before = await contents(old, UNTOUCHED);
    await old.migrate();
    // The columns are of later migrations.
    expect(await old.query('select * from delivery order by seq')).toEqual(
      facts.map((row) => ({ ...row, trace_context: null, cancelled_unrouted: null })),
    );
    const api_key = before.api_key.map((row) => ({ ...row, earlier_keys: null }));
    expect(await contents(old, UNTOUCHED)).toEqual({ ...before, api_key });
    expect(before.attempt.some((row) => row.url === null)).toBe(true);
  });

  test('never reuses a number, even if the newest deliveries were deleted', async () => {
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

  test('does not change a migrated database', async () => {
    const old = await freshOld();
    await old.migrate();
    const before = await everything(old);
    await old.migrate();
    expect(await everything(old)).toEqual(before);
  });

  test('creates every shard and no node', async () => {
    const old = await freshOld();
    await old.migrate();
    const shards = await old.query('select * from shard order by n');
    expect(shards).toEqual(
      Array.from({ length: 64 }, (_, n) => ({ n, node: null, epoch: 0, until: 0, in_flight: 0 })),
    );
    expect(await old.query('select * from delivery_node')).toEqual([]);
  });

  if (engine === 'postgres') {
    test('is rolled back completely if PostgreSQL ends its session, and can be repeated', async () => {
      const old = await freshOld();
      const before = await contents(old, ['delivery', 'attempt', 'kysely_migration']);
      const other = await session(old);
      // Stops the migration halfway, when it reads the attempts to find why deliveries were given up.
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

    test('waits for a node of the old release that is accepting an event, and queues the event', async () => {
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

    test('makes a second node that starts at the same time wait for the first', async () => {
      const old = await freshOld();
      await Promise.all([old.migrate(), old.migrate()]);
      const counts = await old.query('select count(*) as count from pending');
      expect(counts).toEqual([{ count: old.facts.counts.pending }]);
    });
  }
});

/** What the migration must make of a pending delivery from before. */
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

/** How the last attempt of each delivery ended, which a later migration (0013) adds to both tables. */
async function lastResults(old: OldDatabase): Promise<Map<number, string>> {
  const attempts = await old.query('select * from attempt order by delivery_seq, number');
  return new Map(
    attempts.map(({ delivery_seq, status_code, failure_code }) => [
      delivery_seq,
      String(status_code ?? failure_code ?? 'unknown'),
    ]),
  );
}

async function byEvent(old: OldDatabase, sql: string): Promise<Record<string, Row>> {
  return Object.fromEntries((await old.query(sql)).map((row) => [row.event_id, row]));
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
