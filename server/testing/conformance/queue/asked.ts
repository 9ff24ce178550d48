/** Attempts requested by support, in addition to the scheduled ones. */
import { expect, test } from 'vitest';
import type { Due } from '../../../src/delivery/stages.ts';
import {
  cancelDelivery,
  retryDelivery,
} from '../../../src/resources/deliveries/change-delivery.ts';
import { recoverMidoffice } from '../../../src/resources/midoffices/recover-midoffice.ts';
import { sendPending } from '../../../src/resources/midoffices/send-pending.ts';
import type { NewDatabase } from '../../delivery-rig.ts';
import type { Outcome } from '../../queue-owner.ts';
import { pendingRow, RETRY, seqOf, shareQueue } from './setup.ts';

export function askedConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);

  /** A delivery after two attempts; `how` is the outcome of the second. */
  async function settledAs(how: Outcome) {
    const { rig, owner, midoffice } = await open();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    await owner.settle(await owner.begin({ [midoffice.id]: 1 }), RETRY);
    rig.clock.advance(RETRY.retryInMs);
    await owner.settle(await owner.begin({ [midoffice.id]: 1 }), how);
    return { rig, owner, midoffice, id };
  }

  test.each(['delivered', 'exhausted', 'cancelled'] as const)(
    'a retry of a delivery that is %s begins a new schedule',
    async (state) => {
      const { rig, owner, midoffice, id } = await settledAs(state === 'cancelled' ? RETRY : state);
      if (state === 'cancelled') await cancelDelivery(rig.environment, 'test', id);
      rig.clock.advance(5_000);
      expect(await retryDelivery(rig.environment, 'test', id)).toMatchObject({
        state: 'pending',
        attempts_made: 2,
        settled_at: null,
        next_attempt_at: new Date(rig.clock.now()).toISOString(),
      });
      expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject([
        { attempts_made: 2, retries_used: 0, scheduled_at: null, last_key: null },
      ]);
    },
  );

  test.each(['exhausted', 'cancelled'] as const)(
    'recovery of a delivery that is %s begins a new schedule',
    async (state) => {
      const { rig, owner, midoffice, id } = await settledAs(state === 'cancelled' ? RETRY : state);
      if (state === 'cancelled') await cancelDelivery(rig.environment, 'test', id);
      rig.clock.advance(5_000);
      const recover = () =>
        recoverMidoffice(rig.environment, 'test', midoffice.id, { since: '2020-01-01T00:00:00Z' });
      expect(await recover()).toEqual({ requeued: 1 });
      expect(await recover()).toEqual({ requeued: 0 });
      expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject([
        { attempts_made: 2, retries_used: 0, scheduled_at: null, last_key: null },
      ]);
      expect(await rig.show(id)).toMatchObject({ state: 'pending', settled_at: null });
    },
  );

  test('recovery leaves pending and delivered deliveries alone', async () => {
    const { rig, owner, midoffice } = await open();
    const ids = await rig.accept(midoffice, ['delivered', 'waiting', 'new']);
    const due = (await owner.begin({ [midoffice.id]: 2 })) as [Due, Due];
    await owner.settle([due[0]], 'delivered');
    await owner.settle([due[1]], RETRY);
    const before = await Promise.all(ids.map((id) => pendingRow(rig, id)));
    rig.clock.advance(5);
    expect(
      await recoverMidoffice(rig.environment, 'test', midoffice.id, {
        since: '2020-01-01T00:00:00Z',
      }),
    ).toEqual({ requeued: 0 });
    expect(await Promise.all(ids.map((id) => pendingRow(rig, id)))).toEqual(before);
  });

  test('a retry makes a waiting delivery due now, uses no step and keeps the scheduled time', async () => {
    const { rig, owner, midoffice, id } = await settledAs(RETRY);
    const scheduled_at = rig.clock.now() + RETRY.retryInMs;
    rig.clock.advance(10);
    await retryDelivery(rig.environment, 'test', id);
    const due = await owner.begin({ [midoffice.id]: 1 });
    expect(due).toMatchObject([{ attempts_made: 2, retries_used: 2, scheduled_at }]);
    // Requested again before it has ended: still the same time.
    rig.clock.advance(10);
    await retryDelivery(rig.environment, 'test', id);
    owner.forget();
    expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject([
      { attempts_made: 2, retries_used: 2, scheduled_at },
    ]);
  });

  test('sending what waits makes it due now, uses no step and keeps the scheduled time', async () => {
    const { rig, owner, midoffice } = await open();
    await rig.accept(midoffice, ['a', 'b', 'in flight']);
    const due = await owner.begin({ [midoffice.id]: 2 });
    await owner.settle(due, RETRY);
    await owner.begin({ [midoffice.id]: 1 });
    const scheduled_at = rig.clock.now() + RETRY.retryInMs;
    rig.clock.advance(10);
    const send = () => sendPending(rig.environment, 'test', midoffice.id);
    expect(await send()).toEqual({ sent: 2 });
    expect(await send()).toEqual({ sent: 0 });
    const again = await owner.begin({ [midoffice.id]: 5 });
    expect(again).toMatchObject([
      { attempts_made: 1, retries_used: 1, scheduled_at },
      { attempts_made: 1, retries_used: 1, scheduled_at },
    ]);
    // The receiver still fails: they wait for the scheduled time again, and can be sent again.
    await owner.settle(again, { retryInMs: scheduled_at - rig.clock.now() });
    expect(await send()).toEqual({ sent: 2 });
  });

  test('sending what waits leaves events parked behind an earlier one of their order', async () => {
    const { rig, owner, midoffice } = await open({ delivery_order: 'per_order' });
    const ids = await rig.accept(midoffice, ['same', 'same', 'same']);
    await owner.settle(await owner.begin({ [midoffice.id]: 5 }), RETRY);
    rig.clock.advance(10);
    expect(await sendPending(rig.environment, 'test', midoffice.id)).toEqual({ sent: 1 });
    for (const id of ids) {
      const due = await owner.begin({ [midoffice.id]: 5 });
      expect(due.map(({ seq }) => seq)).toEqual([seqOf(id)]);
      await owner.settle(due, 'delivered');
    }
  });

  test.each([
    ['delivered', undefined],
    ['exhausted', { retries_used: 0, scheduled_at: null }],
    [RETRY, { retries_used: 1, scheduled_at: expect.any(Number) }],
  ] as const)(
    'a retry during an attempt that ends as %j causes another one, unless it was delivered',
    async (how, after) => {
      const { rig, owner, midoffice } = await open();
      const [id] = (await rig.accept(midoffice, ['order'])) as [string];
      const due = await owner.begin({ [midoffice.id]: 1 });
      rig.clock.advance(1_000);
      await retryDelivery(rig.environment, 'test', id);
      expect(await owner.begin({ [midoffice.id]: 1 })).toEqual([]);
      rig.clock.advance(1_000);
      await owner.settle(due, how);
      const next = await owner.begin({ [midoffice.id]: 1 });
      expect(next).toMatchObject(after ? [{ attempts_made: 1, ...after }] : []);
      if (how === RETRY) expect(next[0]?.scheduled_at).toBe(rig.clock.now() + RETRY.retryInMs);
      // It was requested once.
      await owner.settle(next, 'exhausted');
      expect(await pendingRow(rig, id)).toBeUndefined();
    },
  );

  test('two requests in the same millisecond, before and after an attempt began, cause another attempt', async () => {
    const { rig, owner, midoffice } = await open();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    await retryDelivery(rig.environment, 'test', id);
    const due = await owner.begin({ [midoffice.id]: 1 });
    await retryDelivery(rig.environment, 'test', id);
    await owner.settle(due, RETRY);
    expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject([{ attempts_made: 1 }]);
  });

  test('two requests cause one attempt', async () => {
    const { rig, owner, midoffice } = await open();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    const due = await owner.begin({ [midoffice.id]: 1 });
    for (let n = 0; n < 2; n++) {
      rig.clock.advance(1);
      await retryDelivery(rig.environment, 'test', id);
    }
    await owner.settle(due, RETRY);
    await owner.settle(await owner.begin({ [midoffice.id]: 1 }), RETRY);
    expect(await owner.begin({ [midoffice.id]: 1 })).toEqual([]);
  });

  test('a request during an attempt whose node crashes causes one attempt', async () => {
    const { rig, owner, midoffice } = await open();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    await owner.begin({ [midoffice.id]: 1 });
    rig.clock.advance(1);
    await retryDelivery(rig.environment, 'test', id);
    owner.forget();
    await owner.settle(await owner.begin({ [midoffice.id]: 1 }), RETRY);
    expect(await owner.begin({ [midoffice.id]: 1 })).toEqual([]);
  });

  test.each([RETRY, 'exhausted'] as const)(
    'a retry that races the end of an attempt is followed by another: %j',
    async (how) => {
      const { rig, owner, midoffice } = await open();
      for (let round = 0; round < 30; round++) {
        const [id] = (await rig.accept(midoffice, ['order'])) as [string];
        const due = await owner.begin({ [midoffice.id]: 1 });
        rig.clock.advance(1);
        await Promise.all([retryDelivery(rig.environment, 'test', id), owner.settle(due, how)]);
        const audited = await rig.store.db
          .selectFrom('audit')
          .selectAll()
          .where('subject', '=', id)
          .execute();
        expect(audited).toHaveLength(1);
        expect((await pendingRow(rig, id))?.due_at).toBeLessThanOrEqual(rig.clock.now());
        const next = await owner.begin({ [midoffice.id]: 1 });
        expect(next).toMatchObject([{ attempts_made: 1 }]);
        owner.forget();
        await cancelDelivery(rig.environment, 'test', id);
      }
    },
  );
}
