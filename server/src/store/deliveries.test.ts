import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../test/support.ts';
import { claim, describeOnEachStore, outcomeOf, placeAt, Rig } from '../../testing/delivery-rig.ts';
import type { Claimed } from '../delivery/stages.ts';
import { cancelDelivery } from '../support/cancel-delivery.ts';
import { recoverMidoffice } from '../support/recover-midoffice.ts';
import { retryDelivery } from '../support/retry-delivery.ts';
import { updateMidoffice } from '../support/update-midoffice.ts';
import { deliveryStoreConformance } from './deliveries-conformance.ts';

const URL = 'http://127.0.0.1:9/hook';

describeOnEachStore('the delivery store', (freshPlace) => {
  deliveryStoreConformance(freshPlace);

  describe('work', () => {
    test('is announced by everything that makes some', async () => {
      const rig = await Rig.open(await freshPlace());
      const midoffice = await rig.midoffice(URL, { delivery_order: 'per_order' });
      const announced: string[] = [];
      let heard = () => {};
      rig.store.deliveries.onWork((ids) => {
        announced.push(...ids);
        // An empty notice comes with each new connection and means all of them.
        if (ids.length > 0) heard();
      });
      async function expectNotice(act: () => Promise<unknown>): Promise<void> {
        announced.length = 0;
        const first = new Promise<void>((resolve) => {
          heard = resolve;
        });
        await act();
        await first;
        expect(announced).toContain(midoffice.id);
      }
      await rig.listened();
      let ids: string[] = [];
      await expectNotice(async () => {
        ids = await rig.accept(midoffice, ['a', 'a']);
      });
      await expectNotice(() => retryDelivery(rig.desk, 'test', ids[0] as string));
      await expectNotice(() => cancelDelivery(rig.desk, 'test', ids[0] as string));
      await expectNotice(() =>
        recoverMidoffice(rig.desk, 'test', midoffice.id, { since: '2020-01-01T00:00:00Z' }),
      );
      await expectNotice(() => updateMidoffice(rig.desk, 'test', midoffice.id, { paused: true }));
    });
  });
});

describeWithPostgres('several nodes on one PostgreSQL', (freshDatabase) => {
  async function twoNodes() {
    const url = await freshDatabase();
    const first = await Rig.open(placeAt(url));
    const second = await Rig.open(placeAt(url), { clock: first.clock });
    return { url, first, second };
  }

  test('together never lease more of a midoffice than it may have in flight', async () => {
    const { first, second } = await twoNodes();
    const midoffice = await first.midoffice(URL, { max_in_flight: 5 });
    await first.accept(
      midoffice,
      Array.from({ length: 60 }, (_, n) => `order ${n}`),
    );
    let settled = 0;
    while (settled < 60) {
      // Each believes that it has the midoffice to itself.
      const claims = await Promise.all(
        [first, second, first, second, first, second].map((rig) =>
          claim(rig, { [midoffice.id]: 3 }),
        ),
      );
      const claimed = claims.flatMap((one) => one.claimed);
      expect(claimed).toHaveLength(5);
      expect(new Set(claimed.map(({ seq }) => seq)).size).toBe(5);
      const settling = claimed.slice(0, 5);
      const lost = await Promise.all(
        settling.map((one, n) =>
          (n % 2 ? first : second).store.deliveries.settle([
            outcomeOf(one, first.clock.now(), 'delivered'),
          ]),
        ),
      );
      expect(lost.flat()).toEqual([]);
      settled += settling.length;
    }
    expect((await claim(first, { [midoffice.id]: 5 })).claimed).toEqual([]);
  });

  test('count what one of them has in flight, also after it was cancelled', async () => {
    const { first, second } = await twoNodes();
    const midoffice = await first.midoffice(URL, { max_in_flight: 2 });
    const ids = await first.accept(midoffice, ['a', 'b', 'c', 'd']);
    const { claimed } = await claim(first, { [midoffice.id]: 2 });
    expect(claimed).toHaveLength(2);
    await cancelDelivery(first.desk, 'test', ids[0] as string);
    expect((await claim(second, { [midoffice.id]: 2 })).claimed).toEqual([]);
    const cancelled = claimed.filter(({ event }) => event.partnerOrderId === 'a');
    await first.store.deliveries.settle([
      outcomeOf(cancelled[0] as Claimed, first.clock.now(), 'delivered'),
    ]);
    expect((await claim(second, { [midoffice.id]: 2 })).claimed).toHaveLength(1);
  });

  test('claim nothing of a midoffice that is paused, though one has not heard of it', async () => {
    const { first, second } = await twoNodes();
    const midoffice = await first.midoffice(URL);
    await first.accept(midoffice, ['a']);
    await updateMidoffice(first.desk, 'test', midoffice.id, { paused: true });
    expect((await claim(second, { [midoffice.id]: 2 })).claimed).toEqual([]);
    await updateMidoffice(first.desk, 'test', midoffice.id, { paused: false });
    expect((await claim(second, { [midoffice.id]: 2 })).claimed).toHaveLength(1);
  });

  test('hold up no event that is stored while the one before it is settled', async () => {
    const { url, first, second } = await twoNodes();
    const midoffice = await first.midoffice(URL, { delivery_order: 'per_order' });
    await first.accept(midoffice, ['a']);
    const { claimed } = await claim(first, { [midoffice.id]: 1 });
    // Someone else is about to store the same event, so ours has looked around but waits.
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin');
    await other.query(`insert into bellhop.delivery (event_id, type, partner_id, partner_order_id,
      ordered, state, attempts_made, retries_used, accepted_at)
      values ('raced', 'updated', 'p', 'a', 0, 'unrouted', 0, 0, 0)`);
    const accepting = second.accept(midoffice, ['a'], { event_id: 'raced' });
    while ((await other.query(`select 1 from pg_locks where not granted`)).rowCount === 0);
    await first.store.deliveries.settle([
      outcomeOf(claimed[0] as Claimed, first.clock.now(), 'delivered'),
    ]);
    await other.query('rollback');
    await accepting;
    expect((await claim(first, { [midoffice.id]: 1 })).claimed).toHaveLength(1);
  });
});
