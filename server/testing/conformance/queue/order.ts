/** `per_order`: which events are parked, and what frees them. */
import { describe, expect, test } from 'vitest';
import { SHARDS, shardOf } from '../../../src/delivery/queue.ts';
import type { Due } from '../../../src/delivery/stages.ts';
import {
  cancelDelivery,
  retryDelivery,
} from '../../../src/resources/deliveries/change-delivery.ts';
import { updatePartner } from '../../../src/resources/partners/change-partner.ts';
import type { NewDatabase, Rig } from '../../delivery-rig.ts';
import {
  beginAll,
  indexesIn,
  ORDERED,
  orders,
  parked,
  pendingRow,
  RETRY,
  seqOf,
  shareQueue,
  URL,
} from './setup.ts';

export function orderConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);

  function cancel(rig: Rig, id: string | undefined) {
    return cancelDelivery(rig.environment, 'test', id as string);
  }

  function retry(rig: Rig, id: string | undefined) {
    return retryDelivery(rig.environment, 'test', id as string);
  }

  test('go one at a time in the order of acceptance; other orders do not wait', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const ids = await rig.accept(midoffice, ['a', 'a', 'b', 'a', 'b', 'c']);
    const rounds: number[][] = [];
    for (let round = 0; round < 4; round++) {
      const begun = await owner.begin({ [midoffice.id]: 10 });
      expect(await owner.begin({ [midoffice.id]: 10 })).toEqual([]);
      rounds.push(indexesIn(ids, begun));
      await owner.settle(begun, 'delivered');
    }
    expect(rounds).toEqual([[0, 2, 5], [1, 4], [3], []]);
  });

  test('are never read two at a time, nor while one of them is in memory', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const ids = await rig.accept(midoffice, ['a', 'a', 'b', 'b', 'a', 'c']);
    const known: Due[] = [];
    for (let read = 0; read < 10; read++) {
      const [lane] = await owner.read({ [midoffice.id]: 2 }, known);
      known.push(...(lane?.due ?? []));
    }
    expect(indexesIn(ids, known)).toEqual([0, 2, 5]);
  });

  test('share a key that no other order has', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const other = await rig.midoffice(URL);
    await updatePartner(rig.environment, 'test', other.partnerId, { midoffice_id: midoffice.id });
    await rig.accept(midoffice, ['a', 'b']);
    await rig.accept(other, ['a']);
    const first = await owner.begin({ [midoffice.id]: 10 });
    const keys = first.map(({ order_key }) => order_key);
    expect(keys).toEqual(Array(3).fill(expect.any(String)));
    expect(new Set(keys).size).toBe(3);
    await owner.settle(first, 'delivered');
    await rig.accept(other, ['a']);
    expect(await owner.begin({ [midoffice.id]: 10 })).toMatchObject([{ order_key: keys[2] }]);
  });

  test('do not wait for an order with the same id of another partner', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const other = await rig.midoffice(URL);
    await updatePartner(rig.environment, 'test', other.partnerId, { midoffice_id: midoffice.id });
    const ids = [
      ...(await rig.accept(midoffice, ['a', 'a'])),
      ...(await rig.accept(other, ['a', 'a'])),
    ];
    const first = await owner.begin({ [midoffice.id]: 10 });
    expect(indexesIn(ids, first)).toEqual([0, 2]);
    await owner.settle([first[0] as Due], RETRY);
    await owner.settle([first[1] as Due], 'delivered');
    await rig.accept(other, ['a']);
    expect(await beginAll(owner, midoffice, ids)).toEqual([3]);
  });

  test('do not wait for the same order at another midoffice', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const other = await rig.midoffice(URL, ORDERED);
    await rig.accept(midoffice, ['a']);
    await updatePartner(rig.environment, 'test', midoffice.partnerId, { midoffice_id: other.id });
    const ids = await rig.accept(midoffice, ['a', 'a']);
    expect(await owner.begin({ [midoffice.id]: 10 })).toHaveLength(1);
    const [lane] = await owner.read({ [other.id]: 10 });
    expect(indexesIn(ids, lane?.due ?? [])).toEqual([0]);
  });

  test('wait for the event ahead, even those accepted later', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    await rig.accept(midoffice, ['a', 'a']);
    const first = await owner.begin({ [midoffice.id]: 10 });
    await rig.accept(midoffice, ['a']);
    await owner.settle(first, RETRY);
    rig.clock.advance(1_000);
    await rig.accept(midoffice, ['a', 'b']);
    const others = await owner.begin({ [midoffice.id]: 10 });
    expect(orders(others)).toEqual(['b']);
    const [lane] = await owner.read({ [midoffice.id]: 10 });
    // Parked rows do not cause an earlier read.
    expect(lane).toMatchObject({
      due: [],
      nextDueAtMs: rig.clock.now() - 1_000 + RETRY.retryInMs,
    });
    await owner.settle(others, 'delivered');
    rig.clock.advance(RETRY.retryInMs - 1_000);
    const taken: number[] = [];
    for (let n = 0; n < 4; n++) {
      const next = await owner.begin({ [midoffice.id]: 10 });
      expect(next).toHaveLength(1);
      taken.push(...next.map(({ seq }) => seq));
      await owner.settle(next, 'delivered');
    }
    expect(taken).toEqual([...taken].sort((a, b) => a - b));
  });

  test.each(['delivered', 'exhausted', 'cancelled', 'brought forward'] as const)(
    'continue at once when the event ahead is %s',
    async (how) => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      const first = await owner.begin({ [midoffice.id]: 10 });
      expect(await parked(rig, ids)).toEqual([false, true, true]);
      const settles = how === 'delivered' || how === 'exhausted';
      await owner.settle(first, settles ? how : RETRY);
      rig.clock.advance(10);
      if (how === 'cancelled') await cancel(rig, ids[0]);
      if (how === 'brought forward') {
        await retry(rig, ids[0]);
        await owner.settle(await owner.begin({ [midoffice.id]: 10 }), 'delivered');
      }
      expect(await parked(rig, ids)).toEqual([false, false, true]);
      expect(await beginAll(owner, midoffice, ids)).toEqual([1]);
    },
  );

  describe('cancelling', () => {
    test('a later event does not affect the one ahead, and lets none overtake', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), RETRY);
      const head = await pendingRow(rig, ids[0] as string);
      rig.clock.advance(1_000);
      await cancel(rig, ids[1]);
      expect(await pendingRow(rig, ids[0] as string)).toEqual(head);
      expect(await beginAll(owner, midoffice, ids)).toEqual([]);
      await cancel(rig, ids[0]);
      expect(await beginAll(owner, midoffice, ids)).toEqual([2]);
    });

    test('all of them, one after another, leaves no later event parked', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a', 'a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), RETRY);
      for (const id of ids.slice(0, 3)) await cancel(rig, id);
      expect(await beginAll(owner, midoffice, ids)).toEqual([3]);
    });

    test('one in flight frees the next, which its owner holds back until the attempt has ended', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a']);
      const first = await owner.begin({ [midoffice.id]: 10 });
      await cancel(rig, ids[0]);
      const [lane] = await owner.read({ [midoffice.id]: 10 });
      expect(indexesIn(ids, lane?.due ?? [])).toEqual([1]);
      expect(await beginAll(owner, midoffice, ids)).toEqual([]);
      // It no longer has a retry to wait for.
      await owner.settle(first, RETRY);
      expect(await beginAll(owner, midoffice, ids)).toEqual([1]);
    });

    test('one whose node then crashes frees the next', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a']);
      const first = await owner.begin({ [midoffice.id]: 10 });
      await cancel(rig, ids[0]);
      for (const { seq } of first) owner.inFlight.delete(seq);
      expect(await beginAll(owner, midoffice, ids)).toEqual([1]);
    });
  });

  describe('an attempt requested by support', () => {
    test('does not let a parked event overtake', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      const first = await owner.begin({ [midoffice.id]: 10 });
      expect(await parked(rig, ids)).toEqual([false, true, true]);
      await retry(rig, ids[2]);
      expect(await beginAll(owner, midoffice, ids)).toEqual([]);
      await owner.settle(first, 'delivered');
      const second = await owner.begin({ [midoffice.id]: 10 });
      expect(indexesIn(ids, second)).toEqual([1]);
      await owner.settle(second, 'delivered');
      expect(await beginAll(owner, midoffice, ids)).toEqual([2]);
    });

    test('of an earlier, settled event waits while a later one is in flight', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), 'delivered');
      const second = await owner.begin({ [midoffice.id]: 10 });
      expect(indexesIn(ids, second)).toEqual([1]);
      await retry(rig, ids[0]);
      expect(await beginAll(owner, midoffice, ids)).toEqual([]);
      await owner.settle(second, RETRY);
      // The replay is ahead of the others now, and does not wait for their retries.
      const replay = await owner.begin({ [midoffice.id]: 10 });
      expect(indexesIn(ids, replay)).toEqual([0]);
      rig.clock.advance(RETRY.retryInMs);
      expect(await beginAll(owner, midoffice, ids)).toEqual([]);
      await owner.settle(replay, 'delivered');
      expect(await beginAll(owner, midoffice, ids)).toEqual([1]);
    });

    test('of a settled event begins after the later one in flight is delivered', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), 'exhausted');
      const second = await owner.begin({ [midoffice.id]: 10 });
      await retry(rig, ids[0]);
      await owner.settle(second, 'delivered');
      expect(await beginAll(owner, midoffice, ids)).toEqual([0]);
    });
  });

  test('are freed by the safety net if they are parked behind nothing', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const shard = shardOf(midoffice.id);
    const ids = await rig.accept(midoffice, ['a', 'a', 'b', 'b']);
    await owner.settle(await owner.begin({ [midoffice.id]: 10 }), RETRY);
    expect(await parked(rig, ids)).toEqual([false, true, false, true]);
    await rig.store.db
      .deleteFrom('pending')
      .where('seq', '=', seqOf(ids[0] as string))
      .execute();
    const free = (n: number) => rig.store.queue.freeStranded(n, rig.clock.now());
    for (let n = 0; n < SHARDS; n++) if (n !== shard) expect(await free(n)).toEqual([]);
    expect(await free(shard)).toEqual([midoffice.id]);
    expect(await free(shard)).toEqual([]);
    expect(await parked(rig, ids)).toEqual([false, false, false, true]);
    expect(await beginAll(owner, midoffice, ids)).toEqual([1]);
  });
}
