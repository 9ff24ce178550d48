/** How support sees deliveries one by one, counted, and to be recovered. */
import { CompiledQuery, createQueryId, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  describeOnEachDatabase,
  LATER,
  MIDOFFICE,
  NOW,
  type QueueDatabase,
} from '../../../testing/queue-database.ts';
import { Statements } from '../../../testing/statements.ts';
import { deliveryStates } from '../../delivery/states.ts';
import { pendingOf, readBacklog, readBacklogOf } from './backlog.ts';
import { countGivenUp, findGivenUp, stillGivenUp, WINDOW } from './given-up.ts';
import { readDelivery } from './read-deliveries.ts';

const ID = createQueryId();

async function addPartner({ db }: QueueDatabase, id: string, midoffice_id: string): Promise<void> {
  const partner = { id, name: '', integration_started_on: '', is_new: 0, suspended: 0 };
  await db
    .insertInto('partner')
    .values({ ...partner, midoffice_id, created_at: 0 } as never)
    .execute();
}

describeOnEachDatabase('reading', (fresh, engine) => {
  describe('a delivery', () => {
    test('has the state of the table it is found in', async () => {
      const queue = await fresh();
      const seqs = await queue.oneOfEach();
      for (const state of deliveryStates) {
        expect(await readDelivery(queue.db, seqs[state])).toMatchObject({ state });
      }
      expect(await readDelivery(queue.db, 77_777)).toBeUndefined();
    });

    test('that is pending has its due time, schedule and attempts', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: NOW, scheduled_at: LATER, retries_used: 2 });
      await queue.attempt(seq, 1);
      await queue.attempt(seq, 3);
      expect(await readDelivery(queue.db, seq)).toMatchObject({
        due_at: NOW,
        scheduled_at: LATER,
        retries_used: 2,
        attempts_made: 3,
        settled_at: null,
      });
    });

    test('that is parked has no due time', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: null, order_key: 'par_one order' });
      expect(await readDelivery(queue.db, seq)).toMatchObject({ state: 'pending', due_at: null });
    });

    test('was settled at the end of its last attempt, or when it was given up', async () => {
      const queue = await fresh();
      const { delivered, exhausted, cancelled, unrouted } = await queue.oneOfEach();
      for (const seq of [delivered, exhausted, cancelled]) {
        await queue.attempt(seq, 1, { started_at: NOW - 800 });
        await queue.attempt(seq, 2, { started_at: NOW - 700, duration_ms: 30 });
      }
      const settledAt = async (seq: number) => (await readDelivery(queue.db, seq))?.settled_at;
      expect(await settledAt(delivered)).toBe(NOW - 670);
      expect(await settledAt(exhausted)).toBe(NOW - 500);
      expect(await settledAt(cancelled)).toBe(NOW - 500);
      expect(await settledAt(unrouted)).toBeNull();
    });
  });

  describe('the backlog', () => {
    test('is counted in total, for one midoffice and for several', async () => {
      const queue = await fresh();
      expect(await readBacklog(queue.db)).toEqual({ pending: 0, oldestAtMs: null });
      await queue.oneOfEach({ accepted_at: NOW - 5 });
      await queue.pending({ due_at: null }, { accepted_at: NOW - 3 });
      await queue.pending({}, { midoffice_id: 'mid_two', accepted_at: NOW - 9 });
      for (const atOnce of [1, 2, 3, 4]) {
        expect(await readBacklog(queue.db, atOnce)).toEqual({ pending: 3, oldestAtMs: NOW - 5 });
      }
      const ofTwo = { pending: 1, oldestAtMs: NOW - 9 };
      expect(await readBacklogOf(queue.db, 'mid_two')).toEqual(ofTwo);
      expect(await readBacklogOf(queue.db, 'mid_none')).toEqual({ pending: 0, oldestAtMs: null });
      expect(await pendingOf(queue.db, [MIDOFFICE.id, 'mid_two', 'mid_none'])).toEqual(
        new Map([
          [MIDOFFICE.id, 2],
          ['mid_two', 1],
        ]),
      );
      expect(await pendingOf(queue.db, [])).toEqual(new Map());
    });
  });

  describe('deliveries to recover', () => {
    test('are found oldest first, for this midoffice and for partners that have it now', async () => {
      const queue = await fresh();
      await addPartner(queue, 'par_one', MIDOFFICE.id);
      await addPartner(queue, 'par_two', 'mid_two');
      const seqs = [];
      for (const [at, fact] of [
        [NOW - 10, {}],
        [NOW, {}],
        [NOW + 10, {}],
        [NOW, { midoffice_id: 'mid_two', partner_id: 'par_two' }],
      ] as const) {
        const { pending, delivered, ...wanted } = await queue.oneOfEach({
          ...fact,
          accepted_at: at,
        });
        seqs.push(Object.values(wanted).sort((a, b) => a - b));
      }
      const which = { midofficeId: MIDOFFICE.id, sinceMs: NOW, untilMs: NOW };
      const wanted = seqs[1] as number[];
      expect(await findGivenUp(queue.db, which, 10)).toEqual(wanted);
      expect(await findGivenUp(queue.db, which, 2)).toEqual(wanted.slice(0, 2));
      expect(await countGivenUp(queue.db, which)).toBe(3);
      expect(await countGivenUp(queue.db, { ...which, sinceMs: 0, untilMs: LATER })).toBe(9);
    });

    test('are read in windows, those of a span that matches nothing as well', async () => {
      const queue = await fresh();
      await addPartner(queue, 'par_one', MIDOFFICE.id);
      const rows = 2 * WINDOW;
      const first = await queue.givenUp('exhausted', { midoffice_id: 'mid_before' });
      // Far behind, as after a failover.
      const numbers = sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.lit(rows - 1)})`;
      const from = sql.lit(first + 1_000_000_000);
      await sql`insert into delivery (seq, event_id, type, partner_id, partner_order_id, midoffice_id, accepted_at)
        ${numbers} select ${from} + i, 'many ' || i, 'created', 'par_one', 'order', 'mid_before', ${sql.lit(NOW)} from n`.execute(
        queue.db,
      );
      await sql`insert into given_up (seq, midoffice_id, partner_id, state, at)
        ${numbers} select ${from} + i, 'mid_before', 'par_one', 'exhausted', ${sql.lit(NOW)} from n`.execute(
        queue.db,
      );
      const which = { midofficeId: MIDOFFICE.id, sinceMs: NOW, untilMs: NOW };
      expect(await countGivenUp(queue.db, which)).toBe(rows);
      expect(await findGivenUp(queue.db, which, WINDOW + 1)).toHaveLength(WINDOW + 1);
      const counted = new Statements();
      const nothing = { ...which, sinceMs: LATER, untilMs: LATER };
      expect(await findGivenUp(queue.db.withPlugin(counted), nothing, 100)).toEqual([]);
      // Three windows of three statements; each begins at the next row, and after the last there is none.
      expect(counted.all).toHaveLength(3 * 3 + 4);
      if (engine === 'sqlite') {
        for (const statement of counted.all) {
          const { sql: text, parameters } = queue.db.getExecutor().compileQuery(statement, ID);
          const explained = CompiledQuery.raw(`explain query plan ${text}`, [...parameters]);
          const plan = await queue.db.executeQuery<{ detail: string }>(explained);
          for (const { detail } of plan.rows) {
            if (/(given_up|delivery) USING/.test(detail)) expect(detail).toMatch(/seq>\?|rowid/);
            expect(detail).not.toMatch(/by_time|SCAN (given_up|delivery)/);
          }
        }
      }
    });

    test('are looked at again by their number when it is their turn', async () => {
      const queue = await fresh();
      await addPartner(queue, 'par_one', MIDOFFICE.id);
      const seqs = await queue.oneOfEach();
      const elsewhere = await queue.givenUp('exhausted', { midoffice_id: 'mid_two' });
      const asked = { midoffice_id: 'mid_two', asked_midoffice_id: 'mid_two' };
      const stays = await queue.givenUp('exhausted', asked);
      const which = { midofficeId: MIDOFFICE.id };
      expect(
        await stillGivenUp(queue.db, which, [...Object.values(seqs), elsewhere, stays]),
      ).toEqual([seqs.exhausted, seqs.cancelled, seqs.unrouted, elsewhere]);
      expect(await stillGivenUp(queue.db, which, [])).toEqual([]);
    });
  });
});
