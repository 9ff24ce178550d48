/** How support sees deliveries one by one, counted, and to be recovered. */
import { describe, expect, test } from 'vitest';
import { describeOnEachDatabase, LATER, MIDOFFICE, NOW } from '../../../testing/queue-database.ts';
import { deliveryStates } from '../../delivery/states.ts';
import { pendingOf, readBacklog } from './backlog.ts';
import { countGivenUp, pickGivenUp } from './given-up.ts';
import { readDelivery } from './read-deliveries.ts';

describeOnEachDatabase('reading', (fresh) => {
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
      expect(await readBacklog(queue.db)).toEqual({ pending: 3, oldestAtMs: NOW - 5 });
      const ofTwo = { pending: 1, oldestAtMs: NOW - 9 };
      expect(await readBacklog(queue.db, 'mid_two')).toEqual(ofTwo);
      expect(await readBacklog(queue.db, 'mid_none')).toEqual({ pending: 0, oldestAtMs: null });
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
      for (const [id, midoffice_id] of [
        ['par_one', MIDOFFICE.id],
        ['par_two', 'mid_two'],
      ]) {
        const partner = { id, name: '', integration_started_on: '', is_new: 0, suspended: 0 };
        await queue.db
          .insertInto('partner')
          .values({ ...partner, midoffice_id, created_at: 0 } as never)
          .execute();
      }
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
      expect(await pickGivenUp(queue.db, which, 0, 10)).toEqual(wanted);
      expect(await pickGivenUp(queue.db, which, 0, 2)).toEqual(wanted.slice(0, 2));
      expect(await pickGivenUp(queue.db, which, wanted[1] as number, 2)).toEqual(wanted.slice(2));
      expect(await countGivenUp(queue.db, which)).toBe(3);
      expect(await countGivenUp(queue.db, { ...which, sinceMs: 0, untilMs: LATER })).toBe(9);
    });
  });
});
