/** What claiming and settling must do, whichever engine is behind it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claim, type FreshPlace, LEASE_MS, outcomeOf, Rig } from '../../testing/delivery-rig.ts';
import type { Claimed } from '../delivery/stages.ts';
import { deliverySeq } from '../orders/order-event.ts';
import { cancelDelivery } from '../support/cancel-delivery.ts';
import { retryDelivery } from '../support/retry-delivery.ts';
import { rotateKey } from '../support/rotate-key.ts';
import { updateMidoffice } from '../support/update-midoffice.ts';
import { updatePartner } from '../support/update-partner.ts';

/** Nothing is sent here: the address only has to be one that may be registered. */
const URL = 'http://127.0.0.1:9/hook';
const RETRY = { retryInMs: 60_000 };

export function deliveryStoreConformance(freshPlace: FreshPlace): void {
  let shared: Rig;
  beforeAll(async () => {
    shared = await Rig.open(await freshPlace(), { atEnd: () => {} });
  });
  afterAll(() => shared?.close());

  /** One database for all, since each test has midoffices of its own. */
  async function freshRig(more: Parameters<Rig['midoffice']>[1] = {}) {
    return { rig: shared, midoffice: await shared.midoffice(URL, more) };
  }

  async function attemptsOf({ store }: Rig, id: string) {
    return store.db
      .selectFrom('attempt')
      .selectAll()
      .where('delivery_seq', '=', deliverySeq(id) as number)
      .execute();
  }

  const orders = (claimed: readonly Claimed[]) => claimed.map((one) => one.event.partnerOrderId);
  const seqs = (ids: readonly string[]) => ids.map((id) => deliverySeq(id) as number);

  describe('a claim', () => {
    test('brings what an attempt needs', async () => {
      const { rig, midoffice } = await freshRig();
      const [plain] = await rig.accept(midoffice, ['plain'], {
        event_id: 'claimed 1',
        type: 'created',
      });
      const more = { event_id: 'claimed 2', agreement_number: 'A-1', status: 'paid' };
      const [full] = await rig.accept(midoffice, ['full'], more);
      const { claimed } = await claim(rig, { [midoffice.id]: 5 }, 'mine');
      const common = {
        lease: 'mine',
        midofficeId: midoffice.id,
        ordered: false,
        attemptNumber: 1,
        retriesUsed: 0,
        scheduledAtMs: null,
        lastKey: null,
      };
      expect(claimed).toHaveLength(2);
      expect(claimed).toEqual(
        expect.arrayContaining([
          {
            ...common,
            seq: deliverySeq(plain as string),
            eventId: 'claimed 1',
            event: { type: 'created', partnerOrderId: 'plain' },
          },
          {
            ...common,
            seq: deliverySeq(full as string),
            eventId: 'claimed 2',
            event: {
              type: 'updated',
              partnerOrderId: 'full',
              agreementNumber: 'A-1',
              status: 'paid',
            },
          },
        ]),
      );
    });

    test('takes no more than there are slots, of each midoffice its own', async () => {
      const { rig, midoffice } = await freshRig();
      const other = await rig.midoffice(URL);
      const idle = await rig.midoffice(URL);
      await rig.accept(midoffice, ['a1', 'a2', 'a3', 'a4']);
      await rig.accept(other, ['b1', 'b2']);
      const { claimed } = await claim(rig, { [midoffice.id]: 3, [other.id]: 5, [idle.id]: 5 });
      expect(orders(claimed).sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
      expect(orders((await claim(rig, { [other.id]: 5 })).claimed)).toEqual([]);
    });

    test('takes what is due, the longest due first, and of the same time the first accepted', async () => {
      const { rig, midoffice } = await freshRig();
      await rig.accept(midoffice, ['failed']);
      const { claimed } = await claim(rig, { [midoffice.id]: 1 });
      await rig.store.deliveries.settle(
        claimed.map((one) => outcomeOf(one, rig.clock.now(), { retryInMs: 1_500 })),
      );
      rig.clock.advance(1_000);
      await rig.accept(midoffice, ['second', 'third']);
      rig.clock.advance(1_000);
      await rig.accept(midoffice, ['last']);
      const taken: string[] = [];
      for (let n = 0; n < 5; n++) {
        taken.push(...orders((await claim(rig, { [midoffice.id]: 1 })).claimed));
      }
      expect(taken).toEqual(['second', 'third', 'failed', 'last']);
    });

    test('does not take what waits for its retry, until the very millisecond', async () => {
      const { rig, midoffice } = await freshRig();
      await rig.accept(midoffice, ['order']);
      const first = await claim(rig, { [midoffice.id]: 1 });
      const settlement = outcomeOf(first.claimed[0] as Claimed, rig.clock.now(), RETRY);
      expect(await rig.store.deliveries.settle([settlement])).toEqual([]);
      rig.clock.advance(RETRY.retryInMs - 1);
      expect((await claim(rig, { [midoffice.id]: 1 })).claimed).toEqual([]);
      rig.clock.advance(1);
      const { claimed } = await claim(rig, { [midoffice.id]: 1 });
      expect(claimed).toMatchObject([{ attemptNumber: 2, retriesUsed: 1 }]);
    });

    test('says when each midoffice that got less than it asked for is worth asking again', async () => {
      const { rig, midoffice } = await freshRig();
      const [waiting, flying, idle, busy] = await Promise.all(
        [1, 2, 3, 4].map(() => rig.midoffice(URL)),
      );
      if (!waiting || !flying || !idle || !busy) throw new Error('no midoffice');
      await rig.accept(midoffice, ['settled']);
      await rig.accept(waiting, ['w1', 'w2']);
      await rig.accept(flying, ['f1']);
      await rig.accept(busy, ['b1', 'b2', 'b3']);
      const first = await claim(rig, { [midoffice.id]: 1, [waiting.id]: 2 });
      await rig.store.deliveries.settle(
        first.claimed.map((one) => {
          const wait = orders([one])[0] === 'w1' ? 5_000 : 7_000;
          const settled = one.midofficeId === midoffice.id;
          return outcomeOf(one, rig.clock.now(), settled ? 'delivered' : { retryInMs: wait });
        }),
      );
      const { next } = await claim(rig, {
        [midoffice.id]: 1,
        [waiting.id]: 2,
        [flying.id]: 2,
        [idle.id]: 1,
        [busy.id]: 2,
      });
      expect((await next).nextDueAtMs).toEqual(
        new Map([
          [midoffice.id, null],
          [waiting.id, rig.clock.now() + 5_000],
          [flying.id, rig.clock.now() + LEASE_MS],
          [idle.id, null],
        ]),
      );
    });
  });

  describe('a lease', () => {
    test('keeps others away until it ends; then the first one’s outcome is refused and leaves no trace', async () => {
      const { rig, midoffice } = await freshRig();
      const [id] = (await rig.accept(midoffice, ['order'])) as [string];
      const first = (await claim(rig, { [midoffice.id]: 1 })).claimed[0] as Claimed;
      rig.clock.advance(LEASE_MS - 1);
      expect((await claim(rig, { [midoffice.id]: 1 })).claimed).toEqual([]);
      rig.clock.advance(1);
      const second = (await claim(rig, { [midoffice.id]: 1 })).claimed[0] as Claimed;
      expect(second).toMatchObject({ seq: first.seq, attemptNumber: 1 });
      expect(second.lease).not.toBe(first.lease);

      const before = await rig.row(id);
      const late = outcomeOf(first, rig.clock.now(), 'delivered');
      expect(await rig.store.deliveries.settle([late])).toEqual([first.seq]);
      expect(await rig.row(id)).toEqual(before);
      expect(await attemptsOf(rig, id)).toEqual([]);

      const inTime = outcomeOf(second, rig.clock.now(), 'exhausted');
      expect(await rig.store.deliveries.settle([inTime])).toEqual([]);
      expect(await rig.show(id)).toMatchObject({ state: 'exhausted', attempts_made: 1 });
      expect(await rig.store.deliveries.settle([inTime, late])).toEqual([first.seq, first.seq]);
      expect(await attemptsOf(rig, id)).toHaveLength(1);
    });

    test('that was lost does not keep the others of its batch from being settled', async () => {
      const { rig, midoffice } = await freshRig();
      const ids = await rig.accept(midoffice, ['a', 'b', 'c']);
      const { claimed } = await claim(rig, { [midoffice.id]: 3 });
      const settlements = claimed.map((one) =>
        outcomeOf(
          orders([one])[0] === 'b' ? { ...one, lease: 'of another' } : one,
          rig.clock.now(),
          'delivered',
        ),
      );
      expect(await rig.store.deliveries.settle(settlements)).toEqual(seqs([ids[1] as string]));
      expect(await rig.states(ids)).toEqual(['delivered', 'pending', 'delivered']);
    });

    test('that ran out and was claimed again by the same node settles beside the old one', async () => {
      const { rig, midoffice } = await freshRig();
      const [id] = (await rig.accept(midoffice, ['order'])) as [string];
      const first = (await claim(rig, { [midoffice.id]: 1 })).claimed[0] as Claimed;
      rig.clock.advance(LEASE_MS);
      const second = (await claim(rig, { [midoffice.id]: 1 })).claimed[0] as Claimed;
      const late = outcomeOf(first, rig.clock.now(), 'exhausted');
      const inTime = outcomeOf(second, rig.clock.now(), 'delivered');
      expect(await rig.store.deliveries.settle([late, inTime])).toEqual([first.seq]);
      expect(await rig.show(id)).toMatchObject({ state: 'delivered', attempts_made: 1 });
      expect(await attemptsOf(rig, id)).toMatchObject([{ outcome: 'delivered' }]);
    });

    test('given back is due at once, without an attempt; given back late it is not taken from another', async () => {
      const { rig, midoffice } = await freshRig();
      const ids = await rig.accept(midoffice, ['a', 'b']);
      const first = await claim(rig, { [midoffice.id]: 2 });
      await rig.store.deliveries.release(first.claimed.filter((one) => orders([one])[0] === 'a'));
      const again = await claim(rig, { [midoffice.id]: 2 });
      expect(orders(again.claimed)).toEqual(['a']);
      expect(again.claimed).toMatchObject([{ attemptNumber: 1, retriesUsed: 0 }]);
      await rig.store.deliveries.release(first.claimed.filter((one) => orders([one])[0] === 'a'));
      expect((await claim(rig, { [midoffice.id]: 2 })).claimed).toEqual([]);
      expect(await attemptsOf(rig, ids[0] as string)).toEqual([]);
    });
  });

  describe('a settlement', () => {
    test('writes the attempt and what it means', async () => {
      const { rig, midoffice } = await freshRig();
      const [id] = (await rig.accept(midoffice, ['order'])) as [string];
      const { claimed } = await claim(rig, { [midoffice.id]: 1 });
      const settlement = outcomeOf(claimed[0] as Claimed, rig.clock.now(), RETRY);
      await rig.store.deliveries.settle([settlement]);
      expect(await rig.show(id)).toMatchObject({
        state: 'pending',
        in_flight: false,
        attempts_made: 1,
        next_attempt_at: new Date(rig.clock.now() + RETRY.retryInMs).toISOString(),
        settled_at: null,
        attempts: [
          {
            number: 1,
            started_at: new Date(rig.clock.now()).toISOString(),
            duration_ms: 7,
            outcome: 'failed',
            status_code: 500,
            reply_excerpt: 'reply',
            error: 'It answered 500.',
            signature_timestamp: Math.floor(rig.clock.now() / 1_000),
            signature_token: 'token',
          },
        ],
      });
    });

    test('of many is all or nothing', async () => {
      const { rig, midoffice } = await freshRig();
      const ids = await rig.accept(midoffice, ['a', 'b', 'c']);
      const { claimed } = await claim(rig, { [midoffice.id]: 3 });
      const settlements = claimed.map((one) => outcomeOf(one, rig.clock.now(), 'delivered'));
      // Something that cannot be written after others that could.
      const attempt = { ...(settlements[2]?.attempt as object), durationMs: null };
      const broken = [...settlements.slice(0, 2), { ...settlements[2], attempt }];
      await expect((async () => rig.store.deliveries.settle(broken as never))()).rejects.toThrow();
      expect(await rig.states(ids)).toEqual(['pending', 'pending', 'pending']);
      for (const id of ids) expect(await attemptsOf(rig, id)).toEqual([]);
      expect(await rig.store.deliveries.settle(settlements)).toEqual([]);
      expect(await rig.states(ids)).toEqual(['delivered', 'delivered', 'delivered']);
    });
  });

  describe('a cancelled delivery', () => {
    test('is not claimed', async () => {
      const { rig, midoffice } = await freshRig();
      const ids = await rig.accept(midoffice, ['a', 'b']);
      expect(await cancelDelivery(rig.desk, 'test', ids[0] as string)).toMatchObject({
        state: 'cancelled',
        settled_at: new Date(rig.clock.now()).toISOString(),
        next_attempt_at: null,
      });
      expect(orders((await claim(rig, { [midoffice.id]: 5 })).claimed)).toEqual(['b']);
      // Once more changes nothing.
      const before = await rig.row(ids[0] as string);
      rig.clock.advance(1);
      await cancelDelivery(rig.desk, 'test', ids[0] as string);
      expect(await rig.row(ids[0] as string)).toEqual(before);
    });

    test.each([
      ['delivered', 'delivered'],
      ['failed', RETRY],
      ['failed', 'exhausted'],
    ] as const)('stays so when the attempt under way ends: %s', async (outcome, how) => {
      const { rig, midoffice } = await freshRig();
      const [id] = (await rig.accept(midoffice, ['order'])) as [string];
      const { claimed } = await claim(rig, { [midoffice.id]: 1 });
      const cancelledAt = new Date(rig.clock.now()).toISOString();
      expect(await cancelDelivery(rig.desk, 'test', id)).toMatchObject({
        state: 'cancelled',
        in_flight: true,
        next_attempt_at: null,
      });
      rig.clock.advance(1_000);
      const settlement = outcomeOf(claimed[0] as Claimed, rig.clock.now(), how);
      expect(await rig.store.deliveries.settle([settlement])).toEqual([]);
      expect(await rig.show(id)).toMatchObject({
        state: 'cancelled',
        in_flight: false,
        settled_at: cancelledAt,
        attempts_made: 1,
        attempts: [{ number: 1, outcome }],
      });
      rig.clock.advance(10 * RETRY.retryInMs);
      expect((await claim(rig, { [midoffice.id]: 1 })).claimed).toEqual([]);
    });
  });

  describe('a retry', () => {
    async function settledAs(how: Parameters<typeof outcomeOf>[2]) {
      const { rig, midoffice } = await freshRig();
      const [id] = (await rig.accept(midoffice, ['order'])) as [string];
      const { claimed } = await claim(rig, { [midoffice.id]: 1 });
      await rig.store.deliveries.settle([outcomeOf(claimed[0] as Claimed, rig.clock.now(), RETRY)]);
      rig.clock.advance(RETRY.retryInMs);
      const again = await claim(rig, { [midoffice.id]: 1 });
      await rig.store.deliveries.settle([
        outcomeOf(again.claimed[0] as Claimed, rig.clock.now(), how),
      ]);
      return { rig, midoffice, id };
    }

    test.each(['delivered', 'exhausted', 'cancelled'] as const)(
      'of one that is %s begins a new schedule',
      async (state) => {
        const { rig, midoffice, id } = await settledAs(state === 'cancelled' ? RETRY : state);
        if (state === 'cancelled') await cancelDelivery(rig.desk, 'test', id);
        rig.clock.advance(5_000);
        expect(await retryDelivery(rig.desk, 'test', id)).toMatchObject({
          state: 'pending',
          attempts_made: 2,
          settled_at: null,
          next_attempt_at: new Date(rig.clock.now()).toISOString(),
        });
        const { claimed } = await claim(rig, { [midoffice.id]: 1 });
        expect(claimed).toMatchObject([{ attemptNumber: 3, retriesUsed: 0 }]);
      },
    );

    test('of one that waits brings it forward and uses up no step', async () => {
      const { rig, midoffice, id } = await settledAs(RETRY);
      await retryDelivery(rig.desk, 'test', id);
      const { claimed } = await claim(rig, { [midoffice.id]: 1 });
      expect(claimed).toMatchObject([{ attemptNumber: 3, retriesUsed: 2 }]);
    });

    test.each([
      ['delivered', { state: 'delivered', due_at: null, scheduled_at: null }],
      ['exhausted', { state: 'pending', due_at: 0, scheduled_at: null, retries_used: 0 }],
      [RETRY, { state: 'pending', due_at: 0, scheduled_at: expect.any(Number), retries_used: 1 }],
    ] as const)(
      'of one that is being attempted follows it, unless it is %j',
      async (how, after) => {
        const { rig, midoffice } = await freshRig();
        const [id] = (await rig.accept(midoffice, ['order'])) as [string];
        const { claimed } = await claim(rig, { [midoffice.id]: 1 });
        const before = await rig.row(id);
        rig.clock.advance(1_000);
        expect(await retryDelivery(rig.desk, 'test', id)).toMatchObject({ in_flight: true });
        expect(await rig.row(id)).toEqual({ ...before, retry_asked: 1 });
        expect((await claim(rig, { [midoffice.id]: 1 })).claimed).toEqual([]);
        const settlement = outcomeOf(claimed[0] as Claimed, rig.clock.now(), how);
        expect(await rig.store.deliveries.settle([settlement])).toEqual([]);
        expect(await rig.row(id)).toMatchObject({ ...after, retry_asked: 0, lease: null });
      },
    );

    test('that races the end of an attempt is followed by another, or is not called done', async () => {
      const { rig, midoffice } = await freshRig();
      for (let round = 0; round < 30; round++) {
        const [id] = (await rig.accept(midoffice, ['order'])) as [string];
        const { claimed } = await claim(rig, { [midoffice.id]: 1 });
        const settlement = outcomeOf(claimed[0] as Claimed, rig.clock.now(), RETRY);
        const [retried] = await Promise.allSettled([
          retryDelivery(rig.desk, 'test', id),
          rig.store.deliveries.settle([settlement]),
        ]);
        const audited = await rig.store.db
          .selectFrom('audit')
          .selectAll()
          .where('subject', '=', id)
          .execute();
        if (retried.status === 'rejected') {
          expect(retried.reason).toMatchObject({ code: 'changed_meanwhile' });
          expect(audited).toEqual([]);
        } else {
          expect((await rig.row(id)).due_at).toBeLessThanOrEqual(rig.clock.now());
          expect(audited).toHaveLength(1);
        }
        await cancelDelivery(rig.desk, 'test', id);
      }
    });

    test('of one that was cancelled while being attempted takes the cancellation back', async () => {
      const { rig, midoffice } = await freshRig();
      const [id] = (await rig.accept(midoffice, ['order'])) as [string];
      const { claimed } = await claim(rig, { [midoffice.id]: 1 });
      await cancelDelivery(rig.desk, 'test', id);
      expect(await retryDelivery(rig.desk, 'test', id)).toMatchObject({
        state: 'pending',
        in_flight: true,
        settled_at: null,
      });
      expect((await claim(rig, { [midoffice.id]: 1 })).claimed).toEqual([]);
      const settlement = outcomeOf(claimed[0] as Claimed, rig.clock.now(), RETRY);
      expect(await rig.store.deliveries.settle([settlement])).toEqual([]);
      rig.clock.advance(RETRY.retryInMs);
      expect((await claim(rig, { [midoffice.id]: 1 })).claimed).toHaveLength(1);
    });

    test('works on one whose attempt died after it was cancelled', async () => {
      const { rig, midoffice } = await freshRig();
      const [id] = (await rig.accept(midoffice, ['order'])) as [string];
      await claim(rig, { [midoffice.id]: 1 });
      await cancelDelivery(rig.desk, 'test', id);
      rig.clock.advance(LEASE_MS);
      await retryDelivery(rig.desk, 'test', id);
      expect((await claim(rig, { [midoffice.id]: 1 })).claimed).toHaveLength(1);
    });
  });

  describe('a midoffice as the worker sees it', () => {
    test('has its address, form, limits, keys, and the time of its earliest work', async () => {
      const { rig, midoffice } = await freshRig({
        body_form: 'both',
        delivery_order: 'per_order',
        max_in_flight: 3,
      });
      const other = await rig.midoffice(URL);
      const { sealed_key, digest } = await rig.store.db
        .selectFrom('api_key')
        .selectAll()
        .where('key_id', '=', midoffice.keyId)
        .executeTakeFirstOrThrow();
      const config = {
        midofficeId: midoffice.id,
        url: URL,
        bodyForm: 'both',
        ordered: true,
        maxInFlight: 3,
        paused: false,
        failingSinceMs: null,
        signingKey: {
          keyId: midoffice.keyId,
          current: { sealed: sealed_key, fingerprint: digest.slice(0, 12) },
          previous: null,
        },
        workedKey: null,
      };
      const lanes = () => rig.store.deliveries.lanes([midoffice.id]);
      expect(await lanes()).toEqual([{ config, nextDueAtMs: null }]);
      const all = await rig.store.deliveries.lanes();
      expect(all.map((lane) => lane.config.midofficeId)).toEqual(
        expect.arrayContaining([midoffice.id, other.id]),
      );
      expect(await rig.store.deliveries.lanes(['mid_none'])).toEqual([]);

      await rig.accept(midoffice, ['order']);
      expect(await lanes()).toMatchObject([{ nextDueAtMs: rig.clock.now() }]);
      await updateMidoffice(rig.desk, 'test', midoffice.id, { paused: true, max_in_flight: 9 });
      const { api_key } = await rotateKey(rig.desk, 'test', midoffice.keyId, {
        overlap_seconds: 60,
      });
      expect(api_key).toEqual(expect.any(String));
      expect(await lanes()).toMatchObject([
        {
          config: {
            paused: true,
            maxInFlight: 9,
            signingKey: {
              previous: { sealed: sealed_key, untilMs: rig.clock.now() + 60_000 },
            },
          },
        },
      ]);
    });

    test('is failing from the first failure to the next delivery, and was told of once', async () => {
      const { rig, midoffice } = await freshRig();
      const row = () =>
        rig.store.db
          .selectFrom('midoffice')
          .select(['failing_since', 'alerted_at'])
          .where('id', '=', midoffice.id)
          .executeTakeFirstOrThrow();
      await rig.store.deliveries.markFailing(midoffice.id, 5_000);
      expect(await row()).toEqual({ failing_since: 5_000, alerted_at: null });
      await rig.store.db
        .updateTable('midoffice')
        .set({ alerted_at: 6_000 })
        .where('id', '=', midoffice.id)
        .execute();
      // Another node notices later that it fails: that is the same incident.
      await rig.store.deliveries.markFailing(midoffice.id, 7_000);
      expect(await row()).toEqual({ failing_since: 5_000, alerted_at: 6_000 });
      await rig.store.deliveries.markFailing(midoffice.id, null);
      expect(await row()).toEqual({ failing_since: null, alerted_at: null });
    });
  });

  describe('deliveries of one order, one after another', () => {
    const ordered = { delivery_order: 'per_order' } as const;

    async function settle(
      rig: Rig,
      claimed: readonly Claimed[],
      how: Parameters<typeof outcomeOf>[2],
    ) {
      await rig.store.deliveries.settle(claimed.map((one) => outcomeOf(one, rig.clock.now(), how)));
    }

    test('go in the order of their acceptance, never two at a time; other orders do not wait', async () => {
      const { rig, midoffice } = await freshRig(ordered);
      const ids = await rig.accept(midoffice, ['a', 'a', 'b', 'a', 'b', 'c']);
      const rounds: number[][] = [];
      for (let round = 0; round < 4; round++) {
        const { claimed } = await claim(rig, { [midoffice.id]: 10 });
        expect((await claim(rig, { [midoffice.id]: 10 })).claimed).toEqual([]);
        rounds.push(claimed.map(({ seq }) => seqs(ids).indexOf(seq)).sort());
        await settle(rig, claimed, 'delivered');
      }
      expect(rounds).toEqual([[0, 2, 5], [1, 4], [3], []]);
    });

    test("other partners' orders of the same id are not held up", async () => {
      const { rig, midoffice } = await freshRig(ordered);
      const other = await rig.midoffice(URL);
      await updatePartner(rig.desk, 'test', other.partnerId, { midoffice_id: midoffice.id });
      const ids = [
        ...(await rig.accept(midoffice, ['a', 'a'])),
        ...(await rig.accept(other, ['a', 'a'])),
      ];
      const first = await claim(rig, { [midoffice.id]: 10 });
      expect(first.claimed.map(({ seq }) => seqs(ids).indexOf(seq)).sort()).toEqual([0, 2]);
      await settle(
        rig,
        first.claimed.filter(({ seq }) => seq === seqs(ids)[0]),
        RETRY,
      );
      await settle(
        rig,
        first.claimed.filter(({ seq }) => seq === seqs(ids)[2]),
        'delivered',
      );
      await rig.accept(other, ['a']);
      const second = await claim(rig, { [midoffice.id]: 10 });
      expect(second.claimed.map(({ seq }) => seqs(ids).indexOf(seq))).toEqual([3]);
    });

    test('cancelling a later one leaves the one before, and those behind, as they wait', async () => {
      const { rig, midoffice } = await freshRig(ordered);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      await settle(rig, (await claim(rig, { [midoffice.id]: 10 })).claimed, RETRY);
      const [head, , last] = await Promise.all(ids.map((id) => rig.row(id)));
      rig.clock.advance(1_000);
      await cancelDelivery(rig.desk, 'test', ids[1] as string);
      expect(await rig.row(ids[0] as string)).toEqual(head);
      expect(await rig.row(ids[2] as string)).toEqual(last);
      await cancelDelivery(rig.desk, 'test', ids[0] as string);
      const { claimed } = await claim(rig, { [midoffice.id]: 10 });
      expect(claimed.map(({ seq }) => seq)).toEqual(seqs([ids[2] as string]));
    });

    test('wait for the one ahead as long as it waits, also those that come later', async () => {
      const { rig, midoffice } = await freshRig(ordered);
      await rig.accept(midoffice, ['a', 'a']);
      const first = await claim(rig, { [midoffice.id]: 10 });
      await rig.accept(midoffice, ['a']);
      await settle(rig, first.claimed, RETRY);
      rig.clock.advance(1_000);
      await rig.accept(midoffice, ['a', 'b']);
      const { claimed, next } = await claim(rig, { [midoffice.id]: 10 });
      const { nextDueAtMs } = await next;
      expect(orders(claimed)).toEqual(['b']);
      // Not sooner: a claim need not step over those that wait behind.
      const headDueAt = rig.clock.now() - 1_000 + RETRY.retryInMs;
      expect([headDueAt, rig.clock.now() + LEASE_MS]).toContain(nextDueAtMs.get(midoffice.id));
      await settle(rig, claimed, 'delivered');
      rig.clock.advance(RETRY.retryInMs - 1_000);
      const seqsTaken: number[] = [];
      for (let n = 0; n < 4; n++) {
        const next = await claim(rig, { [midoffice.id]: 10 });
        expect(next.claimed).toHaveLength(1);
        seqsTaken.push(...next.claimed.map(({ seq }) => seq));
        await settle(rig, next.claimed, 'delivered');
      }
      expect(seqsTaken).toEqual([...seqsTaken].sort((a, b) => a - b));
    });

    test.each(['exhausted', 'cancelled', 'brought forward'] as const)(
      'go on at once when the one ahead is %s',
      async (how) => {
        const { rig, midoffice } = await freshRig(ordered);
        const ids = await rig.accept(midoffice, ['a', 'a']);
        const first = await claim(rig, { [midoffice.id]: 10 });
        await settle(rig, first.claimed, how === 'exhausted' ? 'exhausted' : RETRY);
        if (how === 'cancelled') await cancelDelivery(rig.desk, 'test', ids[0] as string);
        if (how === 'brought forward') {
          await retryDelivery(rig.desk, 'test', ids[0] as string);
          await settle(rig, (await claim(rig, { [midoffice.id]: 10 })).claimed, 'delivered');
        }
        const { claimed } = await claim(rig, { [midoffice.id]: 10 });
        expect(claimed.map(({ seq }) => seq)).toEqual(seqs([ids[1] as string]));
      },
    );

    test('wait for an attempt that was cancelled under way, but not for a retry that it no longer has', async () => {
      const { rig, midoffice } = await freshRig(ordered);
      const ids = await rig.accept(midoffice, ['a', 'a']);
      const { claimed } = await claim(rig, { [midoffice.id]: 10 });
      await cancelDelivery(rig.desk, 'test', ids[0] as string);
      expect((await claim(rig, { [midoffice.id]: 10 })).claimed).toEqual([]);
      await settle(rig, claimed, RETRY);
      const next = await claim(rig, { [midoffice.id]: 10 });
      expect(next.claimed.map(({ seq }) => seq)).toEqual(seqs([ids[1] as string]));
    });

    test('do not wait for ever for an attempt that was cancelled and then died', async () => {
      const { rig, midoffice } = await freshRig(ordered);
      const ids = await rig.accept(midoffice, ['a', 'a']);
      await claim(rig, { [midoffice.id]: 10 });
      await cancelDelivery(rig.desk, 'test', ids[0] as string);
      rig.clock.advance(LEASE_MS);
      const next = await claim(rig, { [midoffice.id]: 10 });
      expect(next.claimed.map(({ seq }) => seq)).toEqual(seqs([ids[1] as string]));
    });

    test('are not overtaken by a replay of an earlier one while a later one is under way', async () => {
      const { rig, midoffice } = await freshRig(ordered);
      const ids = await rig.accept(midoffice, ['a', 'a', 'a']);
      await settle(rig, (await claim(rig, { [midoffice.id]: 10 })).claimed, 'delivered');
      const second = await claim(rig, { [midoffice.id]: 10 });
      expect(second.claimed.map(({ seq }) => seq)).toEqual(seqs([ids[1] as string]));
      await retryDelivery(rig.desk, 'test', ids[0] as string);
      expect((await claim(rig, { [midoffice.id]: 10 })).claimed).toEqual([]);
      await settle(rig, second.claimed, RETRY);
      // The replay is ahead of the others now, and does not wait for their retries.
      const replay = await claim(rig, { [midoffice.id]: 10 });
      expect(replay.claimed.map(({ seq }) => seq)).toEqual(seqs([ids[0] as string]));
    });

    test('keep to it also when the midoffice asks for it later, or no longer', async () => {
      const { rig, midoffice } = await freshRig();
      const [given] = await rig.accept(midoffice, ['a']);
      await settle(rig, (await claim(rig, { [midoffice.id]: 10 })).claimed, 'exhausted');
      await rig.accept(midoffice, ['a', 'a']);
      await updateMidoffice(rig.desk, 'test', midoffice.id, ordered);
      await retryDelivery(rig.desk, 'test', given as string);
      const { claimed } = await claim(rig, { [midoffice.id]: 10 });
      expect(claimed.map(({ seq }) => seq)).toEqual(seqs([given as string]));
      await settle(rig, claimed, RETRY);
      await updateMidoffice(rig.desk, 'test', midoffice.id, { delivery_order: 'any' });
      expect((await claim(rig, { [midoffice.id]: 10 })).claimed).toHaveLength(2);
    });
  });
}
