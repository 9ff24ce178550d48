/** Events of one order, one after another: what is parked, and who frees it. */
import { describe, expect, test } from 'vitest';
import { SHARDS, shardOf } from '../../../src/delivery/queue.ts';
import type { Due } from '../../../src/delivery/stages.ts';
import { cancelDelivery } from '../../../src/support/cancel-delivery.ts';
import { retryDelivery } from '../../../src/support/retry-delivery.ts';
import { updateMidoffice } from '../../../src/support/update-midoffice.ts';
import { updatePartner } from '../../../src/support/update-partner.ts';
import type { FreshPlace, Rig, TestMidoffice } from '../../delivery-rig.ts';
import type { QueueOwner } from '../../queue-owner.ts';
import {
  ORDERED,
  orders,
  parked,
  pendingRow,
  placesIn,
  RETRY,
  seqOf,
  shareQueue,
  URL,
} from './setup.ts';

export function orderConformance(freshPlace: FreshPlace): void {
  const open = shareQueue(freshPlace);

  /** What is started when there is room for everything. */
  async function places(
    owner: QueueOwner,
    { id }: TestMidoffice,
    ids: readonly string[],
  ): Promise<number[]> {
    return placesIn(ids, await owner.begin({ [id]: 20 }));
  }

  function cancel(rig: Rig, id: string | undefined) {
    return cancelDelivery(rig.desk, 'test', id as string);
  }

  function retry(rig: Rig, id: string | undefined) {
    return retryDelivery(rig.desk, 'test', id as string);
  }

  test('go in the order of their acceptance, never two at a time; other orders do not wait', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const ids = await rig.accept(midoffice, ['a', 'a', 'b', 'a', 'b', 'c']);
    const rounds: number[][] = [];
    for (let round = 0; round < 4; round++) {
      const begun = await owner.begin({ [midoffice.id]: 10 });
      expect(await owner.begin({ [midoffice.id]: 10 })).toEqual([]);
      rounds.push(placesIn(ids, begun));
      await owner.settle(begun, 'delivered');
    }
    expect(rounds).toEqual([[0, 2, 5], [1, 4], [3], []]);
  });

  test('are never read two at a time, however few are wanted, nor while one is in memory', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const ids = await rig.accept(midoffice, ['a', 'a', 'b', 'b', 'a', 'c']);
    const known: Due[] = [];
    for (let read = 0; read < 10; read++) {
      const [lane] = await owner.read({ [midoffice.id]: 2 }, known);
      known.push(...(lane?.due ?? []));
    }
    expect(placesIn(ids, known)).toEqual([0, 2, 5]);
  });

  test('share a key that no other order has', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const other = await rig.midoffice(URL);
    await updatePartner(rig.desk, 'test', other.partnerId, { midoffice_id: midoffice.id });
    await rig.accept(midoffice, ['a', 'b']);
    await rig.accept(other, ['a']);
    const first = await owner.begin({ [midoffice.id]: 10 });
    const keys = first.map(({ orderKey }) => orderKey);
    expect(keys).toEqual(Array(3).fill(expect.any(String)));
    expect(new Set(keys).size).toBe(3);
    await owner.settle(first, 'delivered');
    await rig.accept(other, ['a']);
    expect(await owner.begin({ [midoffice.id]: 10 })).toMatchObject([{ orderKey: keys[2] }]);
  });

  test("other partners' orders of the same id are not held up", async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const other = await rig.midoffice(URL);
    await updatePartner(rig.desk, 'test', other.partnerId, { midoffice_id: midoffice.id });
    const ids = [
      ...(await rig.accept(midoffice, ['a', 'a'])),
      ...(await rig.accept(other, ['a', 'a'])),
    ];
    const first = await owner.begin({ [midoffice.id]: 10 });
    expect(placesIn(ids, first)).toEqual([0, 2]);
    await owner.settle([first[0] as Due], RETRY);
    await owner.settle([first[1] as Due], 'delivered');
    await rig.accept(other, ['a']);
    expect(await places(owner, midoffice, ids)).toEqual([3]);
  });

  test('do not wait for the same order at another midoffice', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const other = await rig.midoffice(URL, ORDERED);
    await rig.accept(midoffice, ['a']);
    await updatePartner(rig.desk, 'test', midoffice.partnerId, { midoffice_id: other.id });
    const ids = await rig.accept(midoffice, ['a', 'a']);
    expect(await owner.begin({ [midoffice.id]: 10 })).toHaveLength(1);
    const [lane] = await owner.read({ [other.id]: 10 });
    expect(placesIn(ids, lane?.due ?? [])).toEqual([0]);
  });

  test('wait for the one ahead as long as it waits, also those that come later', async () => {
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
    // Those that are parked make nobody look sooner.
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
    'go on at once when the one ahead is %s',
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
      expect(await places(owner, midoffice, ids)).toEqual([1]);
    },
  );

  describe('cancelling', () => {
    test('a later one leaves the one before as it is, and lets none behind it overtake', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), RETRY);
      const head = await pendingRow(rig, ids[0] as string);
      rig.clock.advance(1_000);
      await cancel(rig, ids[1]);
      expect(await pendingRow(rig, ids[0] as string)).toEqual(head);
      expect(await places(owner, midoffice, ids)).toEqual([]);
      await cancel(rig, ids[0]);
      expect(await places(owner, midoffice, ids)).toEqual([2]);
    });

    test('all of them one after another strands none that comes after', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a', 'a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), RETRY);
      for (const id of ids.slice(0, 3)) await cancel(rig, id);
      expect(await places(owner, midoffice, ids)).toEqual([3]);
    });

    test('one under way lets the next go, which its owner holds back until the attempt has ended', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a']);
      const first = await owner.begin({ [midoffice.id]: 10 });
      await cancel(rig, ids[0]);
      const [lane] = await owner.read({ [midoffice.id]: 10 });
      expect(placesIn(ids, lane?.due ?? [])).toEqual([1]);
      expect(await places(owner, midoffice, ids)).toEqual([]);
      // It has no retry any more to wait for.
      await owner.settle(first, RETRY);
      expect(await places(owner, midoffice, ids)).toEqual([1]);
    });

    test('one whose attempt then dies with its node lets the next go', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a']);
      const first = await owner.begin({ [midoffice.id]: 10 });
      await cancel(rig, ids[0]);
      for (const { seq } of first) owner.inFlight.delete(seq);
      expect(await places(owner, midoffice, ids)).toEqual([1]);
    });
  });

  describe('an attempt asked for by hand', () => {
    test('of one that is parked does not let it overtake', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      const first = await owner.begin({ [midoffice.id]: 10 });
      expect(await parked(rig, ids)).toEqual([false, true, true]);
      await retry(rig, ids[2]);
      expect(await places(owner, midoffice, ids)).toEqual([]);
      await owner.settle(first, 'delivered');
      const second = await owner.begin({ [midoffice.id]: 10 });
      expect(placesIn(ids, second)).toEqual([1]);
      await owner.settle(second, 'delivered');
      expect(await places(owner, midoffice, ids)).toEqual([2]);
    });

    test('of an earlier one that is settled does not go out beside a later one under way', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), 'delivered');
      const second = await owner.begin({ [midoffice.id]: 10 });
      expect(placesIn(ids, second)).toEqual([1]);
      await retry(rig, ids[0]);
      expect(await places(owner, midoffice, ids)).toEqual([]);
      await owner.settle(second, RETRY);
      // The replay is ahead of the others now, and does not wait for their retries.
      const replay = await owner.begin({ [midoffice.id]: 10 });
      expect(placesIn(ids, replay)).toEqual([0]);
      rig.clock.advance(RETRY.retryInMs);
      expect(await places(owner, midoffice, ids)).toEqual([]);
      await owner.settle(replay, 'delivered');
      expect(await places(owner, midoffice, ids)).toEqual([1]);
    });

    test('of a settled one, behind which the later one under way is delivered', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), 'exhausted');
      const second = await owner.begin({ [midoffice.id]: 10 });
      await retry(rig, ids[0]);
      await owner.settle(second, 'delivered');
      expect(await places(owner, midoffice, ids)).toEqual([0]);
    });
  });

  describe('the rule of a midoffice', () => {
    test('holds also for what waits, when it asks for it later, or no longer', async () => {
      const { rig, owner, midoffice } = await open();
      const [given] = await rig.accept(midoffice, ['a']);
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), 'exhausted');
      const ids = [given as string, ...(await rig.accept(midoffice, ['a', 'a']))];
      await updateMidoffice(rig.desk, 'test', midoffice.id, ORDERED);
      await retry(rig, given);
      const first = await owner.begin({ [midoffice.id]: 10 });
      expect(placesIn(ids, first)).toEqual([0]);
      await owner.settle(first, RETRY);
      expect(await places(owner, midoffice, ids)).toEqual([]);
      expect(await parked(rig, ids)).toEqual([false, true, true]);
      await updateMidoffice(rig.desk, 'test', midoffice.id, { delivery_order: 'any' });
      expect(await places(owner, midoffice, ids)).toEqual([1, 2]);
      rig.clock.advance(RETRY.retryInMs);
      expect(await places(owner, midoffice, ids)).toEqual([0]);
    });

    test('that changes while the first is under way lets the next go when that is settled', async () => {
      const { rig, owner, midoffice } = await open();
      const ids = await rig.accept(midoffice, ['a']);
      const first = await owner.begin({ [midoffice.id]: 10 });
      await updateMidoffice(rig.desk, 'test', midoffice.id, ORDERED);
      ids.push(...(await rig.accept(midoffice, ['a'])));
      expect(await places(owner, midoffice, ids)).toEqual([]);
      await owner.settle(first, 'delivered');
      expect(await parked(rig, ids)).toEqual([false, false]);
      expect(await places(owner, midoffice, ids)).toEqual([1]);
    });

    test('can be given to rows that were queued under the one before, more than once', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a']);
      // As if accepted by a node that did not see the change yet.
      await rig.store.db
        .updateTable('pending')
        .set({ order_key: null })
        .where('midoffice_id', '=', midoffice.id)
        .execute();
      const restate = () => rig.store.queue.restateOrder(midoffice.id, rig.clock.now());
      await restate();
      const first = await owner.begin({ [midoffice.id]: 10 });
      expect(placesIn(ids, first)).toEqual([0]);
      await restate();
      expect(await places(owner, midoffice, ids)).toEqual([]);
      await owner.settle(first, 'delivered');
      await restate();
      expect(await places(owner, midoffice, ids)).toEqual([1]);
    });

    test('leaves the schedule of what waits as it is', async () => {
      const { rig, owner, midoffice } = await open();
      const [id] = (await rig.accept(midoffice, ['a'])) as [string];
      await owner.settle(await owner.begin({ [midoffice.id]: 10 }), RETRY);
      const before = await pendingRow(rig, id);
      rig.clock.advance(5);
      await updateMidoffice(rig.desk, 'test', midoffice.id, ORDERED);
      await rig.store.queue.restateOrder(midoffice.id, rig.clock.now());
      expect(await pendingRow(rig, id)).toEqual({ ...before, order_key: expect.any(String) });
    });
  });

  test('frees what waits for one that is gone, and nothing that rightly waits', async () => {
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
    expect(await places(owner, midoffice, ids)).toEqual([1]);
  });
}
