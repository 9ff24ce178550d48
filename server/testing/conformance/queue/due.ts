/** What a lane reads from the queue, and when. */
import { describe, expect, test } from 'vitest';
import { shardOf } from '../../../src/delivery/queue.ts';
import type { Due } from '../../../src/delivery/stages.ts';
import { cancelDelivery } from '../../../src/resources/deliveries/change-delivery.ts';
import type { NewDatabase } from '../../delivery-rig.ts';
import { outcomeOf } from '../../queue-owner.ts';
import { ORDERED, orders, RETRY, seqOf, shareQueue, URL } from './setup.ts';

export function dueConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);

  test('contains everything that an attempt needs', async () => {
    const { rig, owner, midoffice } = await open();
    const [plain] = await rig.accept(midoffice, ['plain'], {
      event_id: 'due 1',
      type: 'created',
    });
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01 vendor=1`;
    const more = { event_id: 'due 2', agreement_number: 'A-1', status: 'paid', trace };
    const [full] = await rig.accept(midoffice, ['full'], more);
    const shard = shardOf(midoffice.id);
    const common = {
      partner_id: midoffice.partnerId,
      midoffice_id: midoffice.id,
      shard,
      epoch: owner.epochOf(shard),
      order_key: null,
      attempts_made: 0,
      retries_used: 0,
      scheduled_at: null,
      asked_at: null,
      last_key: null,
    };
    expect(await owner.begin({ [midoffice.id]: 5 })).toEqual([
      {
        ...common,
        seq: seqOf(plain as string),
        event_id: 'due 1',
        type: 'created',
        partner_order_id: 'plain',
        agreement_number: null,
        status: null,
        trace_context: null,
      },
      {
        ...common,
        seq: seqOf(full as string),
        event_id: 'due 2',
        type: 'updated',
        partner_order_id: 'full',
        agreement_number: 'A-1',
        status: 'paid',
        trace_context: trace,
      },
    ]);
  });

  test('contains the attempt number, the steps used and the key of the previous attempt', async () => {
    const { rig, owner, midoffice } = await open();
    await rig.accept(midoffice, ['order']);
    for (const number of [1, 2, 3]) {
      const due = await owner.begin({ [midoffice.id]: 5 });
      expect(due).toMatchObject([
        {
          attempts_made: number - 1,
          retries_used: number - 1,
          last_key: number === 1 ? null : `key ${number - 1}`,
        },
      ]);
      await owner.settleEach(
        due.map((one) => {
          const settlement = outcomeOf(one, rig.clock.now(), RETRY);
          settlement.last_key = `key ${number}`;
          return settlement;
        }),
      );
      rig.clock.advance(RETRY.retryInMs);
    }
  });

  test('is limited for each midoffice separately', async () => {
    const { rig, owner, midoffice } = await open();
    const other = await rig.midoffice(URL);
    const idle = await rig.midoffice(URL);
    await rig.accept(midoffice, ['a1', 'a2', 'a3', 'a4']);
    await rig.accept(other, ['b1', 'b2']);
    const due = await owner.begin({ [midoffice.id]: 3, [other.id]: 5, [idle.id]: 5 });
    expect(orders(due).sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
    expect(await owner.begin({ [other.id]: 5 })).toEqual([]);
    expect(orders(await owner.begin({ [midoffice.id]: 5 }))).toEqual(['a4']);
  });

  test('has an entry for every lane, even without work or without a midoffice', async () => {
    const { rig, owner, midoffice } = await open();
    await rig.accept(midoffice, ['a']);
    const idle = await rig.midoffice(URL);
    const work = await owner.read({ [midoffice.id]: 2, [idle.id]: 2, mid_none: 2 });
    expect(new Map(work.map((lane) => [lane.midofficeId, orders(lane.due)]))).toEqual(
      new Map([
        [midoffice.id, ['a']],
        [idle.id, []],
        ['mid_none', []],
      ]),
    );
  });

  test('is sorted by due time, then by acceptance', async () => {
    const { rig, owner, midoffice } = await open();
    await rig.accept(midoffice, ['failed']);
    await owner.settle(await owner.begin({ [midoffice.id]: 1 }), { retryInMs: 1_500 });
    rig.clock.advance(1_000);
    await rig.accept(midoffice, ['second', 'third']);
    rig.clock.advance(1_000);
    await rig.accept(midoffice, ['last']);
    const [lane] = await owner.read({ [midoffice.id]: 10 });
    expect(orders(lane?.due ?? [])).toEqual(['second', 'third', 'failed', 'last']);
    const taken: string[] = [];
    for (let n = 0; n < 5; n++) taken.push(...orders(await owner.begin({ [midoffice.id]: 1 })));
    expect(taken).toEqual(['second', 'third', 'failed', 'last']);
  });

  test('excludes a retry until the millisecond it is due', async () => {
    const { rig, owner, midoffice } = await open();
    await rig.accept(midoffice, ['order']);
    await owner.settle(await owner.begin({ [midoffice.id]: 1 }), RETRY);
    rig.clock.advance(RETRY.retryInMs - 1);
    expect(await owner.begin({ [midoffice.id]: 1 })).toEqual([]);
    rig.clock.advance(1);
    expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject([
      { attempts_made: 1, retries_used: 1 },
    ]);
  });

  describe('rows that are already in memory', () => {
    test('are not read again and do not count towards the limit', async () => {
      const { rig, owner, midoffice } = await open();
      const names = Array.from({ length: 25 }, (_, n) => `order ${n}`);
      await rig.accept(midoffice, names);
      const known: Due[] = [];
      const read: string[] = [];
      for (const size of [10, 10, 5, 0]) {
        const [lane] = await owner.read({ [midoffice.id]: 10 }, known);
        expect(lane?.due).toHaveLength(size);
        read.push(...orders(lane?.due ?? []));
        known.push(...(lane?.due ?? []));
      }
      expect(read).toEqual(names);
    });

    test('do not make a lane read over and over', async () => {
      const { rig, owner, midoffice } = await open();
      await rig.accept(midoffice, ['a', 'b']);
      expect(await owner.begin({ [midoffice.id]: 2 })).toHaveLength(2);
      expect(await owner.read({ [midoffice.id]: 2 })).toMatchObject([
        { midofficeId: midoffice.id, due: [], nextDueAtMs: null },
      ]);
    });

    test('but no longer in the queue do not raise the limit', async () => {
      const { rig, owner, midoffice } = await open();
      const ids = await rig.accept(midoffice, ['a', 'b']);
      await owner.begin({ [midoffice.id]: 2 });
      for (const id of ids) await cancelDelivery(rig.environment, 'test', id);
      await rig.accept(midoffice, ['c', 'd', 'e']);
      const [lane] = await owner.read({ [midoffice.id]: 1 });
      expect(orders(lane?.due ?? [])).toEqual(['c']);
    });
  });

  test('says when to read each lane again', async () => {
    const { rig, owner, midoffice } = await open();
    const [waiting, flying, idle, busy] = await Promise.all(
      [1, 2, 3, 4].map(() => rig.midoffice(URL)),
    );
    if (!waiting || !flying || !idle || !busy) throw new Error('no midoffice');
    await rig.accept(midoffice, ['settled']);
    await rig.accept(waiting, ['w1', 'w2']);
    await rig.accept(flying, ['f1']);
    await rig.accept(busy, ['b1', 'b2', 'b3']);
    const first = await owner.begin({ [midoffice.id]: 1, [waiting.id]: 2, [flying.id]: 1 });
    await owner.settle(
      first.filter((one) => one.midoffice_id === midoffice.id),
      'delivered',
    );
    for (const one of first.filter((one) => one.midoffice_id === waiting.id)) {
      await owner.settle([one], { retryInMs: orders([one])[0] === 'w1' ? 7_000 : 5_000 });
    }
    const work = await owner.read({
      [midoffice.id]: 1,
      [waiting.id]: 2,
      [flying.id]: 2,
      [idle.id]: 1,
      [busy.id]: 2,
    });
    const next = new Map(work.map((lane) => [lane.midofficeId, lane.nextDueAtMs]));
    // There are more rows than were requested.
    expect(next.get(busy.id)).toBeLessThanOrEqual(rig.clock.now());
    next.delete(busy.id);
    expect(next).toEqual(
      new Map([
        [midoffice.id, null],
        [waiting.id, rig.clock.now() + 5_000],
        [flying.id, null],
        [idle.id, null],
      ]),
    );
  });

  describe('the midoffices that have work', () => {
    test('are listed by shard, each with its next due time', async () => {
      const { rig, owner, midoffice } = await open();
      const waiting = await rig.midoffice(URL);
      const parked = await rig.midoffice(URL, ORDERED);
      const settled = await rig.midoffice(URL);
      await rig.accept(midoffice, ['now', 'now too']);
      await rig.accept(waiting, ['later']);
      await rig.accept(settled, ['settled']);
      const ids = await rig.accept(parked, ['same', 'same']);
      const begun = await owner.begin({ [waiting.id]: 1, [settled.id]: 1, [parked.id]: 2 });
      const of = (id: string) => begun.filter((one) => one.midoffice_id === id);
      await owner.settle(of(waiting.id), { retryInMs: 5_000 });
      await owner.settle(of(settled.id), 'delivered');
      await owner.settle(of(parked.id), { retryInMs: 9_000 });
      await cancelDelivery(rig.environment, 'test', ids[0] as string);
      const mine = [midoffice, waiting, parked, settled].map(({ id }) => id);
      const shards = [...new Set(mine.map(shardOf))];
      const work = await rig.store.queue.workOf(shards);
      const now = rig.clock.now();
      expect(new Set(work.filter(({ midofficeId }) => mine.includes(midofficeId)))).toEqual(
        new Set([
          { midofficeId: midoffice.id, nextDueAtMs: now },
          { midofficeId: waiting.id, nextDueAtMs: now + 5_000 },
          { midofficeId: parked.id, nextDueAtMs: now },
        ]),
      );
      expect(new Set(work.map(({ midofficeId }) => midofficeId)).size).toBe(work.length);
      expect(work.every(({ midofficeId }) => shards.includes(shardOf(midofficeId)))).toBe(true);
      expect(await rig.store.queue.workOf([])).toEqual([]);
    });

    test('include those with only parked work', async () => {
      const { rig, owner, midoffice } = await open(ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a']);
      await owner.begin({ [midoffice.id]: 2 });
      await rig.store.db
        .deleteFrom('pending')
        .where('seq', '=', seqOf(ids[0] as string))
        .execute();
      const shard = shardOf(midoffice.id);
      const work = await rig.store.queue.workOf([shard]);
      expect(work).toContainEqual({ midofficeId: midoffice.id, nextDueAtMs: null });
      await rig.store.queue.freeStranded(shard, rig.clock.now());
    });
  });
}
