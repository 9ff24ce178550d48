import { expect, test } from 'vitest';
import {
  describeOnEachDatabase,
  LATER,
  MIDOFFICE,
  NOW,
  type QueueDatabase,
} from '../../../testing/queue-database.ts';
import { countUnrouted } from './backlog.ts';
import { findDeliveries } from './list.ts';
import { readDelivery } from './read-deliveries.ts';

describeOnEachDatabase('cancelling', (fresh) => {
  test('removes a pending delivery from the queue', async () => {
    const queue = await fresh();
    const seq = await queue.pending({ due_at: LATER, asked_at: NOW - 5 });
    const other = await queue.pending({ due_at: LATER });
    expect(await queue.change((verbs) => verbs.cancel(seq))).toBe(true);
    expect(await queue.rowOf(seq)).toBeUndefined();
    const row = {
      seq,
      midoffice_id: MIDOFFICE.id,
      partner_id: 'par_one',
      state: 'cancelled',
      at: NOW,
      why: null,
      last_result: null,
      acknowledged_at: null,
    };
    expect(await queue.givenUpOf(seq)).toEqual(row);
    expect(await queue.dueOf([other])).toEqual([LATER]);
    expect(queue.told).toEqual([MIDOFFICE.id]);
  });

  test('cancels an unrouted delivery, which has no lane to tell', async () => {
    const queue = await fresh();
    const [seq, other] = [
      await queue.delivery({ midoffice_id: null }),
      await queue.delivery({ midoffice_id: null }),
    ];
    const stateOf = async (one: number) => (await readDelivery(queue.db, one))?.state;
    expect(await queue.change((verbs) => verbs.cancel(seq))).toBe(true);
    expect([await stateOf(seq), await stateOf(other)]).toEqual(['cancelled', 'unrouted']);
    const row = { seq, midoffice_id: null, state: 'cancelled', at: NOW };
    expect(await queue.givenUpOf(seq)).toMatchObject(row);
    expect(await queue.change((verbs) => verbs.cancel(seq))).toBe(false);
    expect(queue.told).toEqual([]);
    const unrouted = await findDeliveries(queue.db, { state: 'unrouted' }, 9);
    expect(unrouted.map((one) => one.seq)).toEqual([other]);
    const cancelled = await findDeliveries(queue.db, { state: 'cancelled' }, 9);
    expect(cancelled.map((one) => one.seq)).toEqual([seq]);
    expect(await countUnrouted(queue.db, 9)).toBe(1);
    // It can still be given a midoffice.
    await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
    expect(await queue.rowOf(seq)).toMatchObject({ midoffice_id: MIDOFFICE.id, asked_at: NOW + 1 });
    expect(await queue.change((verbs) => verbs.cancel(seq))).toBe(true);
    expect(await queue.givenUpOf(seq)).toMatchObject({ midoffice_id: MIDOFFICE.id });
  });

  test('changes nothing if the delivery is settled or does not exist', async () => {
    const queue = await fresh();
    const seqs = [
      await queue.delivery(),
      await queue.givenUp('exhausted'),
      await queue.givenUp('cancelled'),
      77,
    ];
    for (const seq of seqs) {
      const before = await queue.givenUpOf(seq);
      expect(await queue.change((verbs) => verbs.cancel(seq))).toBe(false);
      expect(await queue.givenUpOf(seq)).toEqual(before);
    }
    expect(queue.told).toEqual([]);
  });

  /** Events of one order: the head waits for its retry, the others are parked behind it. */
  async function orderOf(queue: QueueDatabase, length: number, orderId = 'order') {
    const seqs: number[] = [];
    for (let n = 0; n < length; n++) {
      const row = { due_at: n === 0 ? LATER : null, order_key: `par_one ${orderId}` };
      seqs.push(await queue.pending(row, { partner_order_id: orderId }));
    }
    return seqs as [number, number, number, number];
  }

  test('frees exactly the next event of the order when the head is cancelled', async () => {
    const queue = await fresh();
    const one = await orderOf(queue, 4);
    const other = await orderOf(queue, 2, 'other');
    await queue.change((verbs) => verbs.cancel(one[0]));
    expect(await queue.dueOf(one)).toEqual([undefined, NOW, null, null]);
    expect(await queue.dueOf(other)).toEqual([LATER, null]);
    await queue.change((verbs) => verbs.cancel(one[1]), NOW + 1);
    expect(await queue.dueOf(one)).toEqual([undefined, undefined, NOW + 1, null]);
  });

  test('frees only the next event when a follower is cancelled; its owner parks it again', async () => {
    const queue = await fresh();
    const seqs = await orderOf(queue, 4);
    await queue.change((verbs) => verbs.cancel(seqs[1]));
    expect(await queue.dueOf(seqs)).toEqual([LATER, undefined, NOW, null]);
    await queue.change((verbs) => verbs.cancel(seqs[3]));
    expect(await queue.dueOf(seqs)).toEqual([LATER, undefined, NOW, undefined]);
  });

  test('leaves nothing parked behind nothing when several of an order are cancelled at once', async () => {
    const queue = await fresh();
    for (let round = 0; round < 30; round++) {
      const seqs = await orderOf(queue, 4, `order ${round}`);
      await Promise.all(seqs.slice(0, 3).map((seq) => queue.change((verbs) => verbs.cancel(seq))));
      expect(await queue.dueOf(seqs)).toEqual([undefined, undefined, undefined, NOW]);
    }
  });

  test('succeeds once if it is requested twice at once', async () => {
    const queue = await fresh();
    const seq = await queue.pending();
    const done = await Promise.all([1, 2].map(() => queue.change((verbs) => verbs.cancel(seq))));
    expect(done.sort()).toEqual([false, true]);
  });
});
