import { describe, expect, test } from 'vitest';
import {
  describeOnEachDatabase,
  LATER,
  MIDOFFICE,
  NOW,
  type QueueDatabase,
} from '../../../testing/queue-database.ts';
import { shardOf } from '../../delivery/queue.ts';
import type { DeliveryState } from '../../delivery/states.ts';
import { readDelivery } from './read-deliveries.ts';
import { findMisstated, type Order, restate } from './restate-order.ts';

const ORDERED = { ...MIDOFFICE, ordered: true };
const ORDER = 'par_one order';

/** The row of a delivery that is queued again. */
const queuedAgain = {
  shard: shardOf(MIDOFFICE.id),
  midoffice_id: MIDOFFICE.id,
  order_key: null,
  due_at: NOW,
  retries_used: 0,
  attempts_made: 0,
  scheduled_at: null,
  asked_at: NOW,
  last_key: null,
  last_result: null,
};

async function restateAll({ db }: QueueDatabase, order: Order): Promise<void> {
  await restate(db, order, await findMisstated(db, order), NOW);
}

describeOnEachDatabase('verbs of support', (fresh) => {
  const stateOf = async ({ db }: QueueDatabase, seq: number) =>
    (await readDelivery(db, seq))?.state;

  describe('retry', () => {
    test('makes a waiting delivery due now and keeps the time of the scheduled attempt', async () => {
      const queue = await fresh();
      const used = { retries_used: 3, attempts_made: 4, last_key: 'key' };
      const seq = await queue.pending({ due_at: LATER, ...used });
      const before = await queue.rowOf(seq);
      expect(await queue.change((verbs) => verbs.retry(seq, MIDOFFICE))).toBe(true);
      const after = { ...before, due_at: NOW, scheduled_at: LATER, asked_at: NOW };
      expect(await queue.rowOf(seq)).toEqual(after);
      expect(queue.told).toEqual([MIDOFFICE.id]);
    });

    test('has a different asked_at each time, even within a millisecond', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: LATER });
      for (const asked_at of [NOW, NOW + 1, NOW + 2]) {
        await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
        expect(await queue.rowOf(seq)).toMatchObject({ asked_at, scheduled_at: LATER });
      }
    });

    test('only sets asked_at of a parked delivery', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: null, order_key: ORDER });
      const before = await queue.rowOf(seq);
      await queue.change((verbs) => verbs.retry(seq, ORDERED));
      expect(await queue.rowOf(seq)).toEqual({ ...before, asked_at: NOW });
      expect(queue.told).toEqual([MIDOFFICE.id]);
    });

    test.each(['delivered', 'exhausted', 'cancelled'] as const)(
      'queues a delivery that is %s with a whole schedule',
      async (state) => {
        const queue = await fresh();
        const seq = await (state === 'delivered' ? queue.delivery() : queue.givenUp(state));
        await queue.attempt(seq, 1);
        await queue.attempt(seq, 2, { status_code: 503 });
        expect(await stateOf(queue, seq)).toBe(state);
        expect(await queue.change((verbs) => verbs.retry(seq, ORDERED))).toBe(true);
        const made = { attempts_made: 2, last_result: '503' };
        const row = { ...queuedAgain, ...made, seq, order_key: ORDER };
        expect(await queue.rowOf(seq)).toEqual(row);
        expect(await queue.givenUpOf(seq)).toBeUndefined();
        expect(queue.told).toEqual([MIDOFFICE.id]);
      },
    );

    test('gives an unrouted delivery its midoffice', async () => {
      const queue = await fresh();
      const seq = await queue.delivery({ midoffice_id: null });
      expect(await stateOf(queue, seq)).toBe('unrouted');
      await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
      expect(await queue.rowOf(seq)).toEqual({ ...queuedAgain, seq });
      expect(await readDelivery(queue.db, seq)).toMatchObject({
        state: 'pending',
        midoffice_id: MIDOFFICE.id,
      });
    });

    test('queues nothing for a delivery that does not exist', async () => {
      const queue = await fresh();
      expect(await queue.change((verbs) => verbs.retry(77, MIDOFFICE))).toBe(false);
      expect(await queue.rowOf(77)).toBeUndefined();
      expect(queue.told).toEqual([]);
    });

    test.each(['delivered', 'exhausted', 'unrouted'])(
      'queues a delivery that is %s once if it is requested three times at once',
      async (state) => {
        const queue = await fresh();
        for (let round = 0; round < 10; round++) {
          const seq =
            state === 'exhausted'
              ? await queue.givenUp(state)
              : await queue.delivery(state === 'unrouted' ? { midoffice_id: null } : {});
          await Promise.all(
            [1, 2, 3].map(() => queue.change((verbs) => verbs.retry(seq, MIDOFFICE))),
          );
          // The first one queued it, the others requested another attempt.
          expect(await queue.rowOf(seq)).toEqual({
            ...queuedAgain,
            seq,
            scheduled_at: NOW,
            asked_at: NOW + 2,
          });
        }
      },
    );

    test('has a different asked_at after a cancellation within the same millisecond', async () => {
      const queue = await fresh();
      const seq = await queue.pending();
      const asked = new Set<number | null | undefined>();
      for (let round = 0; round < 3; round++) {
        for (let again = 0; again < 2; again++) {
          await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
          asked.add((await queue.rowOf(seq))?.asked_at);
        }
        await queue.change((verbs) => verbs.cancel(seq));
      }
      expect(asked.size).toBe(6);
    });
  });

  describe('many that were given up', () => {
    const found = (seqs: readonly number[], state: DeliveryState, midoffice = MIDOFFICE) =>
      seqs.map((seq) => ({ seq, state, midoffice }));

    test('queues given-up and unrouted deliveries, and leaves the others alone', async () => {
      const queue = await fresh();
      const waiting = await queue.pending({ due_at: LATER, retries_used: 5 });
      const before = await queue.rowOf(waiting);
      const delivered = await queue.delivery();
      const exhausted = await queue.givenUp('exhausted');
      // A reply that was never finished has a status, but is not an answer.
      await queue.attempt(exhausted, 22, { failure_code: 'timeout', status_code: 200 });
      const cancelled = await queue.givenUp('cancelled', {}, { at: NOW });
      const unrouted = await queue.delivery({ midoffice_id: null });
      const many = [
        ...found([unrouted], 'unrouted', ORDERED),
        ...found([waiting, delivered, exhausted, 777], 'exhausted', ORDERED),
        ...found([cancelled], 'cancelled', ORDERED),
      ];
      expect(await queue.change((verbs) => verbs.retryMany(many))).toHaveLength(3);
      expect(await queue.rowOf(waiting)).toEqual(before);
      expect(await queue.rowOf(delivered)).toBeUndefined();
      const row = { ...queuedAgain, order_key: ORDER };
      expect(await queue.rowOf(exhausted)).toEqual({
        ...row,
        seq: exhausted,
        attempts_made: 22,
        last_result: 'timeout',
      });
      // Later than its cancellation, so that an attempt from before is not mistaken for a new request.
      expect(await queue.rowOf(cancelled)).toEqual({ ...row, seq: cancelled, asked_at: NOW + 1 });
      expect(await queue.rowOf(unrouted)).toEqual({ ...row, seq: unrouted });
      for (const seq of [exhausted, cancelled]) expect(await queue.givenUpOf(seq)).toBeUndefined();
      expect(await stateOf(queue, unrouted)).toBe('pending');
      expect(new Set(queue.told)).toEqual(new Set([MIDOFFICE.id]));
    });

    test('sends no notice if it queued nothing', async () => {
      const queue = await fresh();
      const delivered = await queue.delivery();
      for (const seqs of [[], [delivered]]) {
        const many = found(seqs, 'exhausted');
        expect(await queue.change((verbs) => verbs.retryMany(many))).toHaveLength(0);
      }
      expect(queue.told).toEqual([]);
    });

    test('queues each delivery once, even twice at once and beside retries', async () => {
      const queue = await fresh();
      const seqs: number[] = [];
      for (let n = 0; n < 40; n++) seqs.push(await queue.givenUp('exhausted'));
      const many = found(seqs, 'exhausted');
      const requeued = await Promise.all([
        queue.change((verbs) => verbs.retryMany(many)),
        queue.change((verbs) => verbs.retryMany([...many].reverse())),
        ...seqs.slice(0, 3).map(async (seq) => {
          await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
          return [];
        }),
      ]);
      const queued = requeued.flat().length;
      expect(queued).toBeGreaterThanOrEqual(37);
      expect(queued).toBeLessThanOrEqual(40);
      expect(await queue.dueOf(seqs)).toEqual(seqs.map(() => NOW));
      expect(await queue.db.selectFrom('given_up').selectAll().execute()).toEqual([]);
    });
  });

  describe('fast-forward', () => {
    test('makes the scheduled attempt due now', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: LATER, retries_used: 2 });
      const before = await queue.rowOf(seq);
      expect(await queue.change((verbs) => verbs.fastForward(seq, 2))).toBe(true);
      expect(await queue.rowOf(seq)).toEqual({ ...before, due_at: NOW });
      expect(queue.told).toEqual([MIDOFFICE.id]);
    });

    test('changes nothing if the delivery is due, parked, settled, or changed meanwhile', async () => {
      const queue = await fresh();
      const seqs = [
        await queue.pending({ due_at: NOW }),
        await queue.pending({ due_at: null, order_key: ORDER }),
        await queue.pending({ due_at: LATER, retries_used: 1 }),
        await queue.givenUp('exhausted'),
        await queue.delivery(),
        77,
      ];
      for (const seq of seqs) {
        const before = await queue.rowOf(seq);
        expect(await queue.change((verbs) => verbs.fastForward(seq, 0))).toBe(false);
        expect(await queue.rowOf(seq)).toEqual(before);
      }
      expect(queue.told).toEqual([]);
    });
  });

  describe('a change of order', () => {
    test('changes the pending rows of that midoffice, both ways, and frees parked ones', async () => {
      const queue = await fresh();
      const other = { midoffice_id: 'mid_other' };
      const waiting = await queue.pending({ due_at: LATER }, { partner_order_id: 'a' });
      const due = await queue.pending({ due_at: NOW - 9 }, { partner_order_id: 'b' });
      const elsewhere = await queue.pending({ due_at: null, order_key: ORDER }, other);
      const untouched = await queue.rowOf(elsewhere);
      const before = [await queue.rowOf(waiting), await queue.rowOf(due)];
      await restateAll(queue, ORDERED);
      expect(await queue.rowOf(waiting)).toEqual({ ...before[0], order_key: 'par_one a' });
      expect(await queue.rowOf(due)).toEqual({ ...before[1], order_key: 'par_one b' });

      const parked = await queue.pending({ due_at: null, order_key: 'par_one a' });
      await restateAll(queue, MIDOFFICE);
      expect(await queue.rowOf(waiting)).toEqual(before[0]);
      expect(await queue.rowOf(due)).toEqual(before[1]);
      expect(await queue.rowOf(parked)).toMatchObject({ order_key: null, due_at: NOW });
      expect(await queue.rowOf(elsewhere)).toEqual(untouched);
      expect(await findMisstated(queue.db, MIDOFFICE)).toEqual([]);
    });

    test('only marks the midoffice and tells its lane', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: LATER });
      const before = await queue.rowOf(seq);
      for (let times = 0; times < 2; times++) {
        await queue.change((verbs) => verbs.restateOrder(MIDOFFICE.id));
        expect(queue.told.splice(0)).toEqual([MIDOFFICE.id]);
      }
      expect(await queue.rowOf(seq)).toEqual(before);
      const marks = await queue.db.deleteFrom('restating').returningAll().execute();
      expect(marks).toEqual([{ midoffice_id: MIDOFFICE.id }]);
    });

    test('leaves alone what was sent again elsewhere, or as it should be, since it was found', async () => {
      const queue = await fresh();
      const elsewhere = await queue.pending({}, { midoffice_id: 'mid_other' });
      const right = await queue.pending({ due_at: null, order_key: ORDER });
      const before = [await queue.rowOf(elsewhere), await queue.rowOf(right)];
      await restate(queue.db, ORDERED, [elsewhere, right], NOW);
      expect([await queue.rowOf(elsewhere), await queue.rowOf(right)]).toEqual(before);
    });

    test('leaves rows alone that are already right', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: null, order_key: ORDER });
      await restateAll(queue, ORDERED);
      expect(await queue.rowOf(seq)).toMatchObject({ order_key: ORDER, due_at: null });
    });
  });
});
