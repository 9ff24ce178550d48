/** How an attempt affects a delivery that support cancelled, and perhaps revived, during it. */
import { expect, test } from 'vitest';
import {
  cancelDelivery,
  retryDelivery,
} from '../../../src/resources/deliveries/change-delivery.ts';
import { listDeliveries } from '../../../src/resources/deliveries/list-deliveries.ts';
import { recoverMidoffice } from '../../../src/resources/midoffices/recover-midoffice.ts';
import { updatePartner } from '../../../src/resources/partners/change-partner.ts';
import type { NewDatabase } from '../../delivery-rig.ts';
import { outcomeOf } from '../../queue-owner.ts';
import { beginOne, everything, orders, RETRY, shareQueue, URL } from './setup.ts';

export function settleCancelledConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);

  test('is not attempted', async () => {
    const { rig, owner, midoffice } = await open();
    const ids = await rig.accept(midoffice, ['a', 'b']);
    expect(await cancelDelivery(rig.environment, 'test', ids[0] as string)).toMatchObject({
      state: 'cancelled',
      settled_at: new Date(rig.clock.now()).toISOString(),
      next_attempt_at: null,
    });
    expect(orders(await owner.begin({ [midoffice.id]: 5 }))).toEqual(['b']);
    // Cancelling again changes nothing.
    const before = await everything(rig);
    rig.clock.advance(1);
    await cancelDelivery(rig.environment, 'test', ids[0] as string);
    expect(await everything(rig)).toEqual(before);
  });

  test.each([
    ['delivered', 'delivered'],
    ['failed', RETRY],
    ['failed', 'exhausted'],
  ] as const)('during its attempt stays cancelled: %s', async (outcome, how) => {
    const { rig, owner, midoffice, id, due } = await beginOne(open);
    const cancelledAt = new Date(rig.clock.now()).toISOString();
    expect(await cancelDelivery(rig.environment, 'test', id)).toMatchObject({
      state: 'cancelled',
      next_attempt_at: null,
    });
    rig.clock.advance(1_000);
    expect(await owner.settle(due, how)).toMatchObject([{ state: 'cancelled', due_at: null }]);
    expect(await rig.show(id)).toMatchObject({
      state: 'cancelled',
      settled_at: cancelledAt,
      attempts_made: 1,
      attempts: [{ number: 1, outcome }],
    });
    const { items } = await listDeliveries(rig.environment, {
      midoffice_id: midoffice.id,
      status_class: how === 'delivered' ? '2xx' : '5xx',
    });
    expect(items.map((one) => one.id)).toEqual([id]);
    rig.clock.advance(10 * RETRY.retryInMs);
    expect(await owner.begin({ [midoffice.id]: 1 })).toEqual([]);
  });

  test.each([
    ['retried', 'delivered'],
    ['retried', 'exhausted'],
    ['retried', RETRY],
    ['recovered', 'delivered'],
    ['recovered', 'exhausted'],
    ['recovered', RETRY],
  ] as const)(
    'and then %s during its attempt is pending again, and another attempt follows unless it is %j',
    async (revived, how) => {
      const { rig, owner, midoffice, id, due } = await beginOne(open);
      rig.clock.advance(1);
      await cancelDelivery(rig.environment, 'test', id);
      rig.clock.advance(1);
      if (revived === 'retried') {
        const shown = await retryDelivery(rig.environment, 'test', id);
        expect(shown).toMatchObject({ state: 'pending', settled_at: null });
      } else {
        await recoverMidoffice(rig.environment, 'test', midoffice.id, {
          since: '2020-01-01T00:00:00Z',
        });
      }
      expect(await owner.begin({ [midoffice.id]: 1 })).toEqual([]);
      rig.clock.advance(1);
      await owner.settle(due, how);
      expect(await rig.show(id)).toMatchObject({
        state: how === 'delivered' ? 'delivered' : 'pending',
        attempts_made: 1,
        attempts: [{ number: 1 }],
      });
      expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject(
        how === 'delivered' ? [] : [{ attempts_made: 1 }],
      );
    },
  );

  test('and replayed after its attempt was recorded counts that attempt', async () => {
    const { rig, owner, midoffice, id, due } = await beginOne(open);
    await cancelDelivery(rig.environment, 'test', id);
    await owner.settle(due, RETRY);
    await retryDelivery(rig.environment, 'test', id);
    expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject([
      { attempts_made: 1, retries_used: 0 },
    ]);
  });

  test('and replayed after its node crashed is attempted again', async () => {
    const { rig, owner, midoffice, id } = await beginOne(open);
    await cancelDelivery(rig.environment, 'test', id);
    owner.forget();
    await retryDelivery(rig.environment, 'test', id);
    expect(await owner.begin({ [midoffice.id]: 1 })).toMatchObject([{ attempts_made: 0 }]);
  });

  /** Two attempts in flight, both the first: where it was cancelled, and where it was sent again. */
  async function sentElsewhere() {
    const { rig, owner, midoffice, id, due } = await beginOne(open);
    await cancelDelivery(rig.environment, 'test', id);
    const elsewhere = await rig.midoffice(URL);
    const moved = { midoffice_id: elsewhere.id };
    await updatePartner(rig.environment, 'test', midoffice.partnerId, moved);
    rig.clock.advance(1);
    await retryDelivery(rig.environment, 'test', id);
    // Another lane, which does not know what the first one has in flight.
    owner.forget();
    const again = await owner.begin({ [elsewhere.id]: 1 });
    expect(again).toMatchObject([{ attempts_made: 0, midoffice_id: elsewhere.id }]);
    const outcome = (
      which: 'there' | 'elsewhere',
      how: 'delivered' | 'exhausted' | typeof RETRY,
    ) => {
      const [one] = which === 'there' ? due : (again as typeof due);
      const settlement = outcomeOf(one, rig.clock.now(), how);
      settlement.attempt.signature_token = `${id} ${which}`;
      return settlement;
    };
    return { rig, owner, elsewhere, id, outcome };
  }

  test('and sent again elsewhere during its attempt is delivered there, although both attempts had one number', async () => {
    const { rig, owner, elsewhere, id, outcome } = await sentElsewhere();
    await owner.settleEach([outcome('there', RETRY)]);
    const delivered = outcome('elsewhere', 'delivered');
    expect(await owner.settleEach([delivered])).toMatchObject([
      { state: 'delivered', due_at: null, settlement: { attempt: { number: 2 } } },
    ]);
    const shown = await rig.show(id);
    expect(shown).toMatchObject({
      state: 'delivered',
      attempts: [
        { number: 1, outcome: 'failed', signature_token: `${id} there` },
        { number: 2, outcome: 'delivered', signature_token: `${id} elsewhere` },
      ],
    });
    rig.clock.advance(10 * RETRY.retryInMs);
    expect(await owner.begin({ [elsewhere.id]: 1 })).toEqual([]);
  });

  test.each(['there', 'elsewhere'] as const)(
    'and sent again elsewhere during its attempt keeps both failures, if that %s is settled first',
    async (first) => {
      const { rig, owner, elsewhere, id, outcome } = await sentElsewhere();
      await owner.settleEach([outcome(first, RETRY)]);
      const second = outcome(first === 'there' ? 'elsewhere' : 'there', RETRY);
      expect(await owner.settleEach([second])).toMatchObject([
        { state: 'pending', settlement: { attempt: { number: 2 } } },
      ]);
      expect(await rig.show(id)).toMatchObject({
        state: 'pending',
        attempts_made: 2,
        attempts: [{ number: 1 }, { number: 2 }],
      });
      rig.clock.advance(10 * RETRY.retryInMs);
      expect(await owner.begin({ [elsewhere.id]: 1 })).toMatchObject([{ attempts_made: 2 }]);
    },
  );
}
