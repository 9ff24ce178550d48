import { expect, test } from 'vitest';
import { describeOnEachStore } from '../../../testing/delivery-rig.ts';
import { NOWHERE, openStatsRig } from '../../../testing/stats-rig.ts';
import { status } from '../../../testing/webhook-receiver.ts';
import { updateMidoffice } from './change-midoffice.ts';
import { getMidoffice, listMidoffices } from './show-midoffices.ts';
import { sendTestEvent } from './test-event.ts';

describeOnEachStore('the health of a midoffice', (newDatabase) => {
  test('a midoffice is untested until something was sent to it, then healthy or failing', async () => {
    const { rig, clock, stats, attempt } = await openStatsRig(await newDatabase());
    const midoffice = await rig.midoffice(NOWHERE);
    const health = async () => {
      const { items } = await listMidoffices(rig.environment, {});
      const one = await getMidoffice(rig.environment, midoffice.id);
      expect(items[0]?.health).toBe(one.health);
      return one.health;
    };
    expect(await health()).toBe('untested');
    const paused = await updateMidoffice(rig.environment, 'Ann (tok_1)', midoffice.id, {
      paused: true,
    });
    expect(paused.health).toBe('untested');
    await attempt(midoffice, 'delivered');
    await stats.flush();
    expect(await health()).toBe('healthy');
    await rig.store.queue.markFailing(midoffice.id, clock.now());
    expect(await health()).toBe('failing');
    await rig.store.queue.markFailing(midoffice.id, null);
    expect(await health()).toBe('healthy');
  });

  test('before the first webhook, the latest test event decides about the health', async () => {
    const { rig } = await openStatsRig(await newDatabase());
    const receiver = await rig.receiver(status(500));
    const { id } = await rig.midoffice(receiver.url);
    await sendTestEvent(rig.environment, 'Ann (tok_1)', id);
    expect((await getMidoffice(rig.environment, id)).health).toBe('failing');
    receiver.answer = status(200);
    await sendTestEvent(rig.environment, 'Ann (tok_1)', id);
    expect((await getMidoffice(rig.environment, id)).health).toBe('healthy');
  });

  test('a midoffice without deliveries has no last attempt', async () => {
    const { rig } = await openStatsRig(await newDatabase());
    const { id } = await rig.midoffice(NOWHERE);
    expect(await getMidoffice(rig.environment, id)).toMatchObject({
      pending: 0,
      oldest_pending_at: null,
      last_attempt: null,
    });
  });

  test('the last attempt is the latest one of all nodes', async () => {
    const { rig, clock, stats, newStats, attempt } = await openStatsRig(await newDatabase());
    const other = newStats();
    const midoffice = await rig.midoffice(NOWHERE);
    await attempt(midoffice, 'delivered', other);
    clock.advance(1_000);
    const later = await attempt(midoffice, 'delivered');
    await stats.flush();
    await other.flush();
    const { last_attempt } = await getMidoffice(rig.environment, midoffice.id);
    expect(last_attempt).toMatchObject({ delivery_id: later });
  });
});
