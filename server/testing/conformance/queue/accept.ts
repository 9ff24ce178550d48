/** Events in: what is stored, what is queued, and who is notified. */
import { expect, test } from 'vitest';
import type { EpochOf } from '../../../src/delivery/orders/accept.ts';
import type { OrderEventInput, Verdict } from '../../../src/delivery/orders/order-event.ts';
import { shardOf } from '../../../src/delivery/queue.ts';
import {
  cancelDelivery,
  retryDelivery,
} from '../../../src/resources/deliveries/change-delivery.ts';
import { updatePartner } from '../../../src/resources/partners/change-partner.ts';
import type { NewDatabase, Rig, TestMidoffice } from '../../delivery-rig.ts';
import { everything, ORDERED, parked, pendingRow, seqOf, shareQueue, URL } from './setup.ts';

const NOBODY: EpochOf = () => undefined;

export function acceptConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);
  let events = 0;

  function event({ partnerId }: Pick<TestMidoffice, 'partnerId'>, more = {}): OrderEventInput {
    return {
      event_id: `accepted ${++events}`,
      type: 'created',
      partner_id: partnerId,
      partner_order_id: 'order',
      ...more,
    };
  }

  function accept(
    rig: Rig,
    requests: readonly (readonly OrderEventInput[])[],
    epochOf: EpochOf = NOBODY,
  ) {
    return rig.store.orders.accept(requests, rig.clock.now(), epochOf);
  }

  function results(verdict: Verdict | undefined) {
    if (!verdict || 'rejection' in verdict) throw new Error(JSON.stringify(verdict));
    return verdict.results;
  }

  test('stores the event and queues it, due at once', async () => {
    const { rig, midoffice } = await open();
    const input = event(midoffice, { agreement_number: 'A-1', status: 'paid' });
    const { verdicts } = await accept(rig, [[input]]);
    const [accepted] = results(verdicts[0]);
    expect(accepted).toEqual({
      event_id: input.event_id,
      outcome: 'queued',
      delivery_id: expect.stringMatching(/^del_\d+$/),
    });
    const id = accepted?.delivery_id as string;
    expect(await pendingRow(rig, id)).toEqual({
      seq: seqOf(id),
      shard: shardOf(midoffice.id),
      midoffice_id: midoffice.id,
      order_key: null,
      due_at: rig.clock.now(),
      retries_used: 0,
      attempts_made: 0,
      scheduled_at: null,
      asked_at: null,
      last_key: null,
      last_result: null,
    });
    expect(await rig.show(id)).toMatchObject({
      state: 'pending',
      type: 'created',
      agreement_number: 'A-1',
      status: 'paid',
      midoffice_id: midoffice.id,
      accepted_at: new Date(rig.clock.now()).toISOString(),
      next_attempt_at: new Date(rig.clock.now()).toISOString(),
    });
  });

  test('numbers deliveries in the order of arrival', async () => {
    const { rig, midoffice } = await open();
    const { verdicts } = await accept(rig, [
      [event(midoffice), event(midoffice)],
      [event(midoffice)],
      [event(midoffice), event(midoffice)],
    ]);
    const seqs = verdicts.flatMap(results).map((one) => seqOf(one.delivery_id as string));
    expect(seqs).toHaveLength(5);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  });

  test('queues an event once, however often it is sent', async () => {
    const { rig, owner, midoffice } = await open();
    const input = event(midoffice);
    const { verdicts, work } = await accept(rig, [[input, input], [input]], owner.epochOf);
    const id = results(verdicts[0])[0]?.delivery_id as string;
    const duplicate = { event_id: input.event_id, outcome: 'duplicate', delivery_id: id };
    expect(verdicts.map(results)).toEqual([
      [{ ...duplicate, outcome: 'queued' }, duplicate],
      [duplicate],
    ]);
    expect(work).toHaveLength(1);
    await owner.settle(await owner.begin({ [midoffice.id]: 5 }), 'delivered');
    const again = await accept(rig, [[input]], owner.epochOf);
    expect(again).toEqual({ verdicts: [{ results: [duplicate] }], work: [] });
    await retryDelivery(rig.environment, 'test', id);
    await cancelDelivery(rig.environment, 'test', id);
    expect((await accept(rig, [[input]], owner.epochOf)).work).toEqual([]);
    expect(await rig.states([id])).toEqual(['cancelled']);
  });

  test('an id that was used for another event refuses its whole request, and only that', async () => {
    const { rig, midoffice } = await open();
    const input = event(midoffice);
    await accept(rig, [[input]]);
    const before = await everything(rig);
    const reused = { ...input, status: 'paid' };
    const fresh = event(midoffice);
    const { verdicts, work } = await accept(rig, [[fresh, reused]], () => 1);
    expect(verdicts).toEqual([{ rejection: { index: 1, reason: 'event_id_reused' } }]);
    expect(work).toEqual([]);
    expect(await everything(rig)).toEqual(before);
    const together = await accept(rig, [[fresh, reused], [fresh]]);
    expect(together.verdicts).toEqual([
      { rejection: { index: 1, reason: 'event_id_reused' } },
      { results: [expect.objectContaining({ outcome: 'queued' })] },
    ]);
  });

  test('unknown partners and midoffices refuse the request', async () => {
    const { rig, midoffice } = await open();
    const before = await everything(rig);
    const { verdicts } = await accept(rig, [
      [event(midoffice), event({ partnerId: 'par_none' })],
      [event(midoffice, { midoffice_id: 'mid_none' })],
      [event({ partnerId: 'par\0' })],
    ]);
    expect(verdicts).toEqual([
      { rejection: { index: 1, reason: 'unknown_partner' } },
      { rejection: { index: 0, reason: 'unknown_midoffice' } },
      { rejection: { index: 0, reason: 'unknown_partner' } },
    ]);
    expect(await everything(rig)).toEqual(before);
  });

  test('the midoffice named by the event takes precedence over that of its partner', async () => {
    const { rig, owner, midoffice } = await open();
    const other = await rig.midoffice(URL);
    await accept(rig, [[event(midoffice, { midoffice_id: other.id })]]);
    expect(await owner.begin({ [midoffice.id]: 5 })).toEqual([]);
    expect(await owner.begin({ [other.id]: 5 })).toHaveLength(1);
  });

  test('events go where the facts say when they are stored, not when earlier ones were', async () => {
    const { rig, midoffice } = await open();
    const other = await rig.midoffice(URL);
    const { db } = rig.store;
    const next = async (more = {}) => {
      const input = event(midoffice, more);
      const { verdicts, work } = await accept(rig, [[input]], () => 1);
      return {
        input,
        verdict: verdicts[0],
        route: work.map((row) => [row.midoffice_id, row.order_key]),
      };
    };
    expect((await next()).route).toEqual([[midoffice.id, null]]);
    // As another node would: nothing tells the one that accepts.
    const setPartner = (midoffice_id: string | null) =>
      db
        .updateTable('partner')
        .set({ midoffice_id })
        .where('id', '=', midoffice.partnerId)
        .execute();
    await setPartner(other.id);
    expect((await next()).route).toEqual([[other.id, null]]);
    await db.updateTable('midoffice').set(ORDERED).where('id', '=', other.id).execute();
    expect((await next()).route).toEqual([[other.id, expect.any(String)]]);
    await setPartner(null);
    const { input, verdict } = await next();
    expect(results(verdict)).toMatchObject([{ outcome: 'no_midoffice' }]);
    const { verdicts, work } = await accept(
      rig,
      [[input], [{ ...input, status: 'paid' }]],
      () => 1,
    );
    expect([verdicts, work]).toMatchObject([
      [{ results: [{ outcome: 'duplicate' }] }, { rejection: { reason: 'event_id_reused' } }],
      [],
    ]);
    await setPartner(midoffice.id);
    const mixed = await accept(rig, [[input], [event(midoffice)]], () => 1);
    expect(mixed.verdicts.flatMap(results).map(({ outcome }) => outcome)).toEqual([
      'duplicate',
      'queued',
    ]);
    expect(mixed.work.map((row) => row.midoffice_id)).toEqual([midoffice.id]);
  });

  test('an event without a midoffice is stored but not queued', async () => {
    const { rig, owner, midoffice } = await open();
    await updatePartner(rig.environment, 'test', midoffice.partnerId, { midoffice_id: null });
    const input = event(midoffice);
    const { verdicts, work } = await accept(rig, [[input]], owner.epochOf);
    const [result] = results(verdicts[0]);
    expect(result).toMatchObject({ event_id: input.event_id, outcome: 'no_midoffice' });
    expect(work).toEqual([]);
    const id = result?.delivery_id as string;
    const seq = seqOf(id);
    expect(await rig.states([id])).toEqual(['unrouted']);
    const again = await accept(rig, [[input]]);
    expect(results(again.verdicts[0])).toEqual([{ ...result, outcome: 'duplicate' }]);
    expect(await pendingRow(rig, id)).toBeUndefined();
    // It is delivered once its partner has a midoffice and support asks for it.
    await updatePartner(rig.environment, 'test', midoffice.partnerId, {
      midoffice_id: midoffice.id,
    });
    expect(await owner.begin({ [midoffice.id]: 5 })).toEqual([]);
    await retryDelivery(rig.environment, 'test', id);
    expect(await owner.begin({ [midoffice.id]: 5 })).toMatchObject([{ seq, attempts_made: 0 }]);
  });

  test('naming the midoffice that it goes to anyway is the same event', async () => {
    const { rig, midoffice } = await open();
    const input = event(midoffice);
    const named = { ...input, midoffice_id: midoffice.id };
    const { verdicts } = await accept(rig, [[input]]);
    const [result] = results(verdicts[0]);
    for (const same of [named, { ...input, midoffice_id: null }]) {
      const again = await accept(rig, [[same]]);
      expect(results(again.verdicts[0])).toEqual([{ ...result, outcome: 'duplicate' }]);
    }
    await updatePartner(rig.environment, 'test', midoffice.partnerId, { midoffice_id: null });
    const later = await accept(rig, [[named]]);
    expect(results(later.verdicts[0])).toEqual([{ ...result, outcome: 'duplicate' }]);
  });

  test('parks nothing, even behind a waiting event', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const ids = await rig.accept(midoffice, ['a', 'a']);
    await owner.settle(await owner.begin({ [midoffice.id]: 5 }), { retryInMs: 5_000 });
    ids.push(...(await rig.accept(midoffice, ['a'])));
    expect(await parked(rig, ids)).toEqual([false, true, false]);
    expect(await pendingRow(rig, ids[2] as string)).toMatchObject({ due_at: rig.clock.now() });
  });

  test('returns the rows of its own shards as work, in order and with all that a read returns', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const other = await rig.midoffice(URL);
    const own = shardOf(midoffice.id);
    const isOwn = (shard: number) => (shard === own ? owner.epochOf(shard) : undefined);
    const { verdicts, work } = await accept(
      rig,
      [
        [event(midoffice, { status: 'paid' }), event(other)],
        [event(midoffice, { partner_order_id: 'second' })],
      ],
      isOwn,
    );
    const ids = verdicts.flatMap(results).map((one) => one.delivery_id as string);
    const expected = shardOf(other.id) === own ? ids : [ids[0] as string, ids[2] as string];
    expect(work.map(({ seq }) => seq)).toEqual(expected.map(seqOf));
    const read = await owner.begin({ [midoffice.id]: 5 });
    expect(work.filter((one) => one.midoffice_id === midoffice.id)).toMatchObject(read);
  });

  test('rejects the whole group if one event cannot be stored', async () => {
    const { rig, midoffice } = await open();
    const before = await everything(rig);
    const broken = event(midoffice, { type: null });
    await expect(accept(rig, [[event(midoffice)], [broken]], () => 1)).rejects.toThrow();
    expect(await everything(rig)).toEqual(before);
  });
}
