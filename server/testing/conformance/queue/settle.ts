/** How an attempt affects its delivery. */
import { describe, expect, test } from 'vitest';
import type { Settlement } from '../../../src/delivery/stages.ts';
import { retryDelivery } from '../../../src/resources/deliveries/change-delivery.ts';
import type { NewDatabase } from '../../delivery-rig.ts';
import { type Outcome, outcomeOf } from '../../queue-owner.ts';
import {
  attemptsOf,
  beginOne,
  everything,
  indexesIn,
  orders,
  pendingRow,
  RETRY,
  seqOf,
  shareQueue,
  URL,
} from './setup.ts';

export function settleConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);

  test('writes the attempt and its effect', async () => {
    const { rig, owner, id, due } = await beginOne(open);
    const settlement = outcomeOf(due[0], rig.clock.now(), RETRY);
    expect(await owner.settleEach([settlement])).toEqual([
      { settlement, state: 'pending', due_at: rig.clock.now() + RETRY.retryInMs },
    ]);
    expect(await rig.show(id)).toMatchObject({
      state: 'pending',
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

  test.each([
    ['delivered', { error: null, failure_code: null, status_code: 204 }],
    ['failed', { error: 'The connection was reset.', failure_code: 'reset', status_code: null }],
  ] as const)('keeps every field of an attempt that %s', async (outcome, result) => {
    const { rig, owner, id, due } = await beginOne(open);
    const settlement = outcomeOf(due[0], rig.clock.now(), 'delivered');
    const attempt: Settlement['attempt'] = {
      number: 1,
      started_at: 1_700_000_000_123,
      duration_ms: 2_345,
      outcome,
      status_code: result.status_code,
      reply_excerpt: 'Größe 🧳 "\' \\ \n',
      error: result.error,
      failure_code: result.failure_code as Settlement['attempt']['failure_code'],
      signature_timestamp: 1_700_000_000,
      signature_token: 'a token',
      url: 'https://receiver.example/ü?x=1',
      body_form: 'both',
      user_agent: 'Bellhop/9',
      key_id: '1234567890',
      key_fingerprint: 'fedcba987654',
    };
    await owner.settleEach([{ ...settlement, attempt }]);
    expect(await attemptsOf(rig, id)).toEqual([
      {
        delivery_seq: seqOf(id),
        number: 1,
        started_at: 1_700_000_000_123,
        duration_ms: 2_345,
        outcome,
        ...result,
        reply_excerpt: 'Größe 🧳 "\' \\ \n',
        signature_timestamp: 1_700_000_000,
        signature_token: 'a token',
        url: 'https://receiver.example/ü?x=1',
        body_form: 'both',
        user_agent: 'Bellhop/9',
        key_id: '1234567890',
        key_fingerprint: 'fedcba987654',
      },
    ]);
  });

  test.each(['delivered', 'exhausted'] as const)('ends a delivery that is %s', async (state) => {
    const { rig, owner, midoffice, id, due } = await beginOne(open);
    const settledAt = new Date(rig.clock.now()).toISOString();
    expect(await owner.settle(due, state)).toMatchObject([{ state, due_at: null }]);
    expect(await pendingRow(rig, id)).toBeUndefined();
    expect(await rig.show(id)).toMatchObject({
      state,
      attempts_made: 1,
      next_attempt_at: null,
      ...(state === 'exhausted' && { settled_at: settledAt }),
    });
    rig.clock.advance(10 * RETRY.retryInMs);
    expect(await owner.begin({ [midoffice.id]: 1 })).toEqual([]);
  });

  test('stores why a delivery was given up', async () => {
    const { rig, owner, midoffice, id, due } = await beginOne(open);
    await owner.settle(due, 'exhausted');
    expect(
      await rig.store.db
        .selectFrom('given_up')
        .selectAll()
        .where('seq', '=', seqOf(id))
        .executeTakeFirst(),
    ).toEqual({
      seq: seqOf(id),
      midoffice_id: midoffice.id,
      partner_id: midoffice.partnerId,
      state: 'exhausted',
      at: rig.clock.now(),
      why: 'status',
      last_result: '500',
      acknowledged_at: null,
    });
  });

  describe('a batch', () => {
    test('gives each delivery its own outcome, across midoffices', async () => {
      const { rig, owner, midoffice } = await open();
      const other = await rig.midoffice(URL);
      const ids = [
        ...(await rig.accept(midoffice, ['a', 'b', 'c', 'd'])),
        ...(await rig.accept(other, ['e', 'f'])),
      ];
      const due = await owner.begin({ [midoffice.id]: 10, [other.id]: 10 });
      const how: Record<string, Outcome> = {
        a: 'delivered',
        b: RETRY,
        c: 'exhausted',
        d: { retryInMs: 5 },
        e: 'delivered',
        f: 'exhausted',
      };
      const settlements = due.map((one) =>
        outcomeOf(one, rig.clock.now(), how[orders([one])[0] as string] as Outcome),
      );
      const settled = await owner.settleEach(settlements);
      expect(new Set(settled.map((one) => one.settlement))).toEqual(new Set(settlements));
      for (const { settlement, state, due_at } of settled) {
        const dueAt = settlement.state === 'pending' ? settlement.due_at : null;
        expect([state, due_at]).toEqual([settlement.state, dueAt]);
      }
      expect(await rig.states(ids)).toEqual([
        'delivered',
        'pending',
        'exhausted',
        'pending',
        'delivered',
        'exhausted',
      ]);
      rig.clock.advance(5);
      expect(indexesIn(ids, await owner.begin({ [midoffice.id]: 10 }))).toEqual([3]);
    });

    test('is all or nothing', async () => {
      const { rig, owner, midoffice } = await open();
      const ids = await rig.accept(midoffice, ['a', 'b', 'c']);
      const due = await owner.begin({ [midoffice.id]: 3 });
      const settlements = due.map((one) => outcomeOf(one, rig.clock.now(), 'delivered'));
      // The last one cannot be written, the ones before could.
      const attempt = { ...(settlements[2]?.attempt as object), duration_ms: null };
      const broken = [...settlements.slice(0, 2), { ...settlements[2], attempt }];
      await expect(
        (async () => rig.store.queue.settle(broken as never, rig.clock.now()))(),
      ).rejects.toThrow();
      expect(await rig.states(ids)).toEqual(['pending', 'pending', 'pending']);
      for (const id of ids) expect(await attemptsOf(rig, id)).toEqual([]);
      expect(await owner.settleEach(settlements)).toHaveLength(3);
      expect(await rig.states(ids)).toEqual(['delivered', 'delivered', 'delivered']);
    });

    test('may have hundreds of settlements, or none', async () => {
      const { rig, owner, midoffice } = await open();
      const ids = await rig.accept(
        midoffice,
        Array.from({ length: 700 }, (_, n) => `order ${n}`),
      );
      const due = await owner.begin({ [midoffice.id]: 1_000 });
      expect(await owner.settle(due, 'delivered')).toHaveLength(700);
      expect(await rig.states(ids.slice(-3))).toEqual(Array(3).fill('delivered'));
      expect(await owner.settle([], 'delivered')).toEqual([]);
    });
  });

  test.each(['delivered', 'exhausted', RETRY] as const)(
    'changes nothing when it is repeated, as after a commit whose answer was lost: %j',
    async (how) => {
      const { rig, owner, due } = await beginOne(open);
      const settlement = outcomeOf(due[0], rig.clock.now(), how);
      const first = await owner.settleEach([settlement]);
      const before = await everything(rig);
      rig.clock.advance(1_000);
      expect(await owner.settleEach([settlement])).toEqual(first);
      expect(await everything(rig)).toEqual(before);
    },
  );

  test.each(['delivered', 'exhausted', RETRY] as const)(
    'does not undo a retry requested before it is repeated: %j',
    async (how) => {
      const { rig, owner, midoffice, id, due } = await beginOne(open);
      const settlement = outcomeOf(due[0], rig.clock.now(), how);
      await owner.settleEach([settlement]);
      rig.clock.advance(1_000);
      await retryDelivery(rig.environment, 'test', id);
      const before = await everything(rig);
      await owner.settleEach([settlement]);
      expect(await everything(rig)).toEqual(before);
      expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject([{ attempts_made: 1 }]);
    },
  );
}
