/** A midoffice whose `delivery_order` changes while it has pending deliveries. */
import { expect, test } from 'vitest';
import { retryDelivery } from '../../../src/resources/deliveries/change-delivery.ts';
import { updateMidoffice } from '../../../src/resources/midoffices/change-midoffice.ts';
import type { NewDatabase } from '../../delivery-rig.ts';
import { beginAll, indexesIn, ORDERED, parked, pendingRow, RETRY, shareQueue } from './setup.ts';

export function orderChangesConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);

  test('applies to pending deliveries when it is switched on, and when it is switched off', async () => {
    const { rig, owner, midoffice } = await open();
    const [given] = await rig.accept(midoffice, ['a']);
    await owner.settle(await owner.begin({ [midoffice.id]: 10 }), 'exhausted');
    const ids = [given as string, ...(await rig.accept(midoffice, ['a', 'a']))];
    await updateMidoffice(rig.environment, 'test', midoffice.id, ORDERED);
    await retryDelivery(rig.environment, 'test', given as string);
    const first = await owner.begin({ [midoffice.id]: 10 });
    expect(indexesIn(ids, first)).toEqual([0]);
    await owner.settle(first, RETRY);
    expect(await beginAll(owner, midoffice, ids)).toEqual([]);
    expect(await parked(rig, ids)).toEqual([false, true, true]);
    await updateMidoffice(rig.environment, 'test', midoffice.id, { delivery_order: 'any' });
    expect(await beginAll(owner, midoffice, ids)).toEqual([1, 2]);
    rig.clock.advance(RETRY.retryInMs);
    expect(await beginAll(owner, midoffice, ids)).toEqual([0]);
  });

  test('switched on during an attempt frees the next event when the attempt is settled', async () => {
    const { rig, owner, midoffice } = await open();
    const ids = await rig.accept(midoffice, ['a']);
    const first = await owner.begin({ [midoffice.id]: 10 });
    await updateMidoffice(rig.environment, 'test', midoffice.id, ORDERED);
    ids.push(...(await rig.accept(midoffice, ['a'])));
    expect(await beginAll(owner, midoffice, ids)).toEqual([]);
    await owner.settle(first, 'delivered');
    expect(await parked(rig, ids)).toEqual([false, false]);
    expect(await beginAll(owner, midoffice, ids)).toEqual([1]);
  });

  test('can be applied to rows queued under the old rule, more than once', async () => {
    const { rig, owner, midoffice } = await open(ORDERED);
    const ids = await rig.accept(midoffice, ['a', 'a']);
    // As if accepted by a node that had not seen the change yet.
    await rig.store.db
      .updateTable('pending')
      .set({ order_key: null })
      .where('midoffice_id', '=', midoffice.id)
      .execute();
    const restate = () => rig.store.queue.restateOrder(midoffice.id, rig.clock.now());
    await restate();
    const first = await owner.begin({ [midoffice.id]: 10 });
    expect(indexesIn(ids, first)).toEqual([0]);
    await restate();
    expect(await beginAll(owner, midoffice, ids)).toEqual([]);
    await owner.settle(first, 'delivered');
    await restate();
    expect(await beginAll(owner, midoffice, ids)).toEqual([1]);
  });

  test('does not change the schedule of pending deliveries', async () => {
    const { rig, owner, midoffice } = await open();
    const [id] = (await rig.accept(midoffice, ['a'])) as [string];
    await owner.settle(await owner.begin({ [midoffice.id]: 10 }), RETRY);
    const before = await pendingRow(rig, id);
    rig.clock.advance(5);
    await updateMidoffice(rig.environment, 'test', midoffice.id, ORDERED);
    await rig.store.queue.restateOrder(midoffice.id, rig.clock.now());
    expect(await pendingRow(rig, id)).toEqual({ ...before, order_key: expect.any(String) });
  });
}
