import { expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../../testing/delivery-rig.ts';
import { updateMidoffice } from '../midoffices/change-midoffice.ts';
import { getDelivery } from './deliveries.ts';
import { listDeliveries } from './list-deliveries.ts';

describeOnEachStore('a delivery to a paused midoffice', (newDatabase) => {
  test('says so, and announces no attempt until it is resumed', async () => {
    const rig = await Rig.open(await newDatabase());
    const { environment } = rig;
    const midoffice = await rig.midoffice('http://127.0.0.1:9/hook');
    await rig.accept(midoffice, ['order']);
    const pause = (paused: boolean) =>
      updateMidoffice(environment, 'Ann', midoffice.id, { paused });
    const shown = async () => {
      const [listed] = (await listDeliveries(environment, {})).items;
      const { future_attempts, ...whole } = await getDelivery(environment, listed?.id ?? '');
      expect(whole).toMatchObject(listed ?? {});
      return { paused: whole.paused, next: whole.next_attempt_at, later: future_attempts.length };
    };
    expect(await shown()).toEqual({ paused: false, next: expect.any(String), later: 22 });
    await pause(true);
    expect(await shown()).toEqual({ paused: true, next: null, later: 0 });
    await pause(false);
    expect(await shown()).toEqual({ paused: false, next: expect.any(String), later: 22 });
  });
});
