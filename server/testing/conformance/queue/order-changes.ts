/** A midoffice whose `delivery_order` changes while it has pending deliveries. */
import { expect, test } from 'vitest';
import { retryDelivery } from '../../../src/resources/deliveries/change-delivery.ts';
import { updateMidoffice } from '../../../src/resources/midoffices/change-midoffice.ts';
import { findMisstated, restate } from '../../../src/store/queue/restate-order.ts';
import type { NewDatabase } from '../../delivery-rig.ts';
import {
  beginAll,
  indexesIn,
  ORDERED,
  parked,
  pendingRow,
  RETRY,
  seqOf,
  shareQueue,
} from './setup.ts';

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

  test('changes no row itself; the owner does, before it begins anything, and again after a crash', async () => {
    const { rig, owner, midoffice } = await open();
    const ids = await rig.accept(midoffice, ['a', 'b']);
    await owner.settle(await owner.begin({ [midoffice.id]: 10 }), RETRY);
    await updateMidoffice(rig.environment, 'test', midoffice.id, ORDERED);
    const order = { id: midoffice.id, ordered: true };
    expect(await findMisstated(rig.store.db, order)).toEqual(ids.map(seqOf));
    // As if the owner was killed after its first batch.
    await restate(rig.store.db, order, ids.slice(1).map(seqOf), rig.clock.now());
    const isMarked = async () => (await rig.store.queue.lanes([midoffice.id]))[0]?.restating;
    expect(await isMarked()).toBe(true);
    // Due now, while the first of its order waits.
    ids.push(...(await rig.accept(midoffice, ['a'])));
    expect(await beginAll(owner, midoffice, ids)).toEqual([]);
    expect(await parked(rig, ids)).toEqual([false, false, true]);
    expect(await isMarked()).toBe(false);
  });

  test('begins again if it is changed back meanwhile', async () => {
    const { rig, owner, midoffice } = await open();
    const ids = await rig.accept(midoffice, ['a', 'a']);
    await updateMidoffice(rig.environment, 'test', midoffice.id, ORDERED);
    const first = rig.store.queue.restateOrder(midoffice.id, rig.clock.now());
    await updateMidoffice(rig.environment, 'test', midoffice.id, { delivery_order: 'any' });
    await first;
    expect(await beginAll(owner, midoffice, ids)).toEqual([0, 1]);
    for (const id of ids) expect(await pendingRow(rig, id)).toMatchObject({ order_key: null });
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
