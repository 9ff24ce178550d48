import { describe, expect, test } from 'vitest';
import {
  describeOnEachDatabase,
  LATER,
  MIDOFFICE,
  NOW,
  type QueueDatabase,
} from '../../../testing/queue-database.ts';
import { readDelivery } from './read-deliveries.ts';
import type { Found, Retried } from './verbs.ts';
import { countWaiting, findWaiting } from './waiting.ts';

const OTHER = { id: 'mid_other', ordered: true };

describeOnEachDatabase('verbs for many deliveries', (fresh) => {
  const stateOf = async ({ db }: QueueDatabase, seq: number) =>
    (await readDelivery(db, seq))?.state;

  describe('retry', () => {
    const found = (seq: number, state: Retried['state'], midoffice = MIDOFFICE): Retried => ({
      seq,
      state,
      midoffice,
    });

    test('makes pending ones due and queues the others again, each for its midoffice', async () => {
      const queue = await fresh();
      const waiting = await queue.pending({ due_at: LATER, retries_used: 3 });
      const delivered = await queue.delivery();
      await queue.attempt(delivered, 1, { status_code: 204, outcome: 'delivered' });
      const exhausted = await queue.givenUp('exhausted', { midoffice_id: OTHER.id });
      const unrouted = await queue.delivery({ midoffice_id: null });
      const many = [
        found(unrouted, 'unrouted', OTHER),
        found(waiting, 'pending'),
        found(exhausted, 'exhausted', OTHER),
        found(delivered, 'delivered'),
        found(77_777, 'delivered'),
      ];
      expect(await queue.change((verbs) => verbs.retryMany(many))).toHaveLength(4);
      expect(await queue.rowOf(waiting)).toMatchObject({
        due_at: NOW,
        scheduled_at: LATER,
        retries_used: 3,
        asked_at: NOW,
      });
      const again = { due_at: NOW, retries_used: 0, asked_at: NOW };
      expect(await queue.rowOf(delivered)).toMatchObject({ ...again, last_result: '204' });
      for (const seq of [exhausted, unrouted]) {
        const order_key = 'par_one order';
        expect(await queue.rowOf(seq)).toMatchObject({
          ...again,
          midoffice_id: OTHER.id,
          order_key,
        });
      }
      expect(await queue.givenUpOf(exhausted)).toBeUndefined();
      expect(new Set(queue.told)).toEqual(new Set([MIDOFFICE.id, OTHER.id]));
    });

    test('leaves alone what has changed since it was found', async () => {
      const queue = await fresh();
      const delivered = await queue.delivery();
      const cancelled = await queue.givenUp('cancelled');
      const pending = await queue.pending({ due_at: LATER });
      const many = [
        found(delivered, 'pending'),
        found(cancelled, 'pending'),
        found(pending, 'exhausted'),
        found(await queue.delivery(), 'exhausted'),
      ];
      expect(await queue.change((verbs) => verbs.retryMany(many))).toHaveLength(0);
      expect(await stateOf(queue, delivered)).toBe('delivered');
      expect(await stateOf(queue, cancelled)).toBe('cancelled');
      expect(await queue.dueOf([pending])).toEqual([LATER]);
      expect(queue.told).toEqual([]);
    });
  });

  describe('cancel', () => {
    test('cancels those that are pending or unrouted and frees what follows them', async () => {
      const queue = await fresh();
      const order = { order_key: 'par_one order' };
      const [head, second, third] = [
        await queue.pending({ ...order, due_at: LATER, last_result: '503' }),
        await queue.pending({ ...order, due_at: null }),
        await queue.pending({ ...order, due_at: null }),
      ];
      const plain = await queue.pending({}, { midoffice_id: OTHER.id });
      const delivered = await queue.delivery();
      const exhausted = await queue.givenUp('exhausted');
      const unrouted = await queue.delivery({ midoffice_id: null });
      const many: Found[] = [
        ...[plain, head, second, 77_777].map((seq) => ({ seq, state: 'pending' as const })),
        ...[unrouted, delivered].map((seq) => ({ seq, state: 'unrouted' as const })),
        { seq: exhausted, state: 'exhausted' },
      ];
      const changed = many.map(({ seq, state }) => ({
        seq,
        state: state === 'pending' ? ('unrouted' as const) : ('pending' as const),
      }));
      expect(await queue.change((verbs) => verbs.cancelMany(changed))).toEqual([]);
      expect(await queue.change((verbs) => verbs.cancelMany(many))).toHaveLength(4);
      expect(await queue.change((verbs) => verbs.cancelMany(many))).toHaveLength(0);
      for (const seq of [head, second, plain, unrouted])
        expect(await stateOf(queue, seq)).toBe('cancelled');
      expect(await queue.givenUpOf(head)).toMatchObject({ at: NOW, last_result: '503' });
      expect(await queue.dueOf([third])).toEqual([NOW]);
      expect([await stateOf(queue, delivered), await stateOf(queue, exhausted)]).toEqual([
        'delivered',
        'exhausted',
      ]);
      expect(new Set(queue.told)).toEqual(new Set([MIDOFFICE.id, OTHER.id]));
      expect(await queue.change((verbs) => verbs.cancelMany([]))).toHaveLength(0);
    });
  });

  describe('sending what waits', () => {
    test('makes it due, keeps the scheduled time and uses no step', async () => {
      const queue = await fresh();
      const waiting = await queue.pending({ due_at: LATER, retries_used: 3, attempts_made: 4 });
      const asked = await queue.pending({ due_at: LATER, asked_at: NOW, scheduled_at: NOW });
      const before = [await queue.rowOf(waiting), await queue.rowOf(asked)];
      const untouched = [
        await queue.pending({ due_at: NOW }),
        await queue.pending({ due_at: null, order_key: 'par_one order' }),
        await queue.givenUp('exhausted'),
      ];
      const rowsOf = (seqs: number[]) => Promise.all(seqs.map((seq) => queue.rowOf(seq)));
      const untouchedBefore = await rowsOf(untouched);
      const seqs = [asked, ...untouched, waiting, 77_777];
      expect(await queue.change((verbs) => verbs.sendWaiting(seqs))).toHaveLength(2);
      const due = { due_at: NOW, scheduled_at: LATER, asked_at: NOW };
      expect(await queue.rowOf(waiting)).toEqual({ ...before[0], ...due });
      expect(await queue.rowOf(asked)).toEqual({ ...before[1], due_at: NOW, asked_at: NOW + 1 });
      expect(await rowsOf(untouched)).toEqual(untouchedBefore);
      expect(queue.told).toEqual([MIDOFFICE.id]);
      expect(await queue.change((verbs) => verbs.sendWaiting(seqs))).toHaveLength(0);
    });

    test('finds and counts what waits for a midoffice, in the order of acceptance', async () => {
      const queue = await fresh();
      const elsewhere = { midoffice_id: OTHER.id };
      const waiting = [
        await queue.pending({ due_at: LATER + 2 }),
        await queue.pending({ due_at: NOW + 1 }),
        await queue.pending({ due_at: LATER }),
      ];
      await queue.pending({ due_at: NOW });
      await queue.pending({ due_at: null, order_key: 'par_one order' });
      const other = await queue.pending({ due_at: LATER }, elsewhere);
      expect(await findWaiting(queue.db, { midofficeId: MIDOFFICE.id }, NOW)).toEqual(waiting);
      expect(await countWaiting(queue.db, MIDOFFICE.id, NOW)).toBe(3);
      expect(await findWaiting(queue.db, { midofficeId: OTHER.id }, NOW)).toEqual([other]);
    });
  });
});
