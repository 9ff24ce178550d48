/**
 * Statements of the queue with statistics from an idle system: `pending` was empty when PostgreSQL last
 * analyzed it, and then a receiver failed. The planner believes that any way through the table is cheap.
 */
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { allReadsOf, planIn } from '../../../testing/query-plans.ts';
import { describeOnPostgres, MIDOFFICE, NOW } from '../../../testing/queue-database.ts';
import { outcomeOf } from '../../../testing/queue-owner.ts';
import { shardOf } from '../../delivery/queue.ts';
import type { Due } from '../../delivery/stages.ts';
import { FREE_NEXT_POSTGRES } from '../queue/free-next.ts';
import { AT_ONCE } from '../queue/pull-forward.ts';
import { BY_INDEX_ONLY } from './pools.ts';
import { latePage } from './pull-forward.ts';
import { PARK } from './queue.ts';
import { DELIVERED, shardsOf } from './settle.ts';
import { recordValues } from './settle-statements.ts';

/** Each order has a head and, far behind it, a follower. */
const ORDERS = 2_000;
const DUE: Omit<Due, 'seq'> = {
  event_id: 'event',
  type: 'created',
  partner_id: 'partner',
  partner_order_id: 'order',
  agreement_number: null,
  status: null,
  midoffice_id: MIDOFFICE.id,
  shard: shardOf(MIDOFFICE.id),
  epoch: 0,
  order_key: null,
  attempts_made: 0,
  retries_used: 0,
  scheduled_at: null,
  asked_at: null,
  last_key: null,
  trace_context: null,
};
const CHOSEN = Array.from({ length: 20 }, (_, n) => n * 10 + 1);

describeOnPostgres('with stale statistics', (fresh) => {
  async function expectFewRows(
    text: string,
    values: unknown[],
    { areParked, most }: { areParked: boolean; most: number },
  ): Promise<(number | null)[]> {
    const { db } = await fresh();
    const run = (sql: string, parameters: unknown[] = []) =>
      db.executeQuery(CompiledQuery.raw(sql, parameters));
    const fill = () =>
      run(
        `insert into pending (seq, shard, midoffice_id, order_key, due_at, retries_used, attempts_made)
         select g, $1, $2, 'order ' || g % ${ORDERS},
                case when g <= ${ORDERS} or not $4 then $3::bigint end, 0, 0
           from generate_series(1, ${2 * ORDERS}) g`,
        [shardOf(MIDOFFICE.id), MIDOFFICE.id, NOW, areParked],
      );
    await fill();
    await run('delete from pending');
    await run('analyze pending');
    await fill();
    const plan = await db.transaction().execute(async (transaction) => {
      for (const setting of BY_INDEX_ONLY.split(';')) {
        const local = setting.replace('set', 'set local');
        await transaction.executeQuery(CompiledQuery.raw(local, []));
      }
      const explain = `explain (analyze, format json) ${text}`;
      const { rows } = await transaction.executeQuery(CompiledQuery.raw(explain, values));
      return planIn(rows);
    });
    expect(allReadsOf(plan)).toBeLessThanOrEqual(most);
    const followers = await db
      .selectFrom('pending')
      .select('due_at')
      .where(
        'seq',
        'in',
        CHOSEN.map((n) => n + ORDERS),
      )
      .execute();
    return followers.map(({ due_at }) => due_at);
  }

  test('freeing the next events of 20 orders reads a few rows for each', async () => {
    const values = [
      CHOSEN.map(() => MIDOFFICE.id),
      CHOSEN.map((n) => `order ${n}`),
      CHOSEN,
      NOW + 1,
    ];
    const most = 10 * CHOSEN.length;
    const due = await expectFewRows(FREE_NEXT_POSTGRES, values, { areParked: true, most });
    expect(due).toEqual(CHOSEN.map(() => NOW + 1));
  });

  test('parking 20 events reads the table a few times, not once for each', async () => {
    const values = [CHOSEN.map((n) => n + ORDERS)];
    const most = 3 * 2 * ORDERS;
    const due = await expectFewRows(PARK, values, { areParked: false, most });
    expect(due).toEqual(CHOSEN.map(() => null));
  });

  test('settling 20 delivered events reads a few rows for each', async () => {
    const settlements = CHOSEN.map((n) => outcomeOf({ ...DUE, seq: n + ORDERS }, NOW, 'delivered'));
    const values = [...shardsOf(settlements), ...recordValues(settlements)];
    const most = 30 * CHOSEN.length;
    expect(await expectFewRows(DELIVERED, values, { areParked: false, most })).toEqual([]);
  });

  test('after the clock was set back, a page from the middle reads no more rows than it has', async () => {
    const setBackTo = NOW - 3_600_000;
    const values = [setBackTo, shardOf(MIDOFFICE.id), MIDOFFICE.id, NOW, ORDERS];
    // Once in the index, and once where it ends.
    await expectFewRows(latePage([30_000]), values, { areParked: false, most: 2 * AT_ONCE });
  });
});
