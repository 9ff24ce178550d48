import { expect, test } from 'vitest';
import { describeOnEachStore } from '../../testing/delivery-rig.ts';
import { NOWHERE, openStatsRig } from '../../testing/stats-rig.ts';
import { startHousekeeping } from './housekeeping.ts';

describeOnEachStore('delivery statistics', (newDatabase) => {
  test('counts reach the store after two seconds and on stop', async () => {
    const { rig, clock, stats, read, attempt } = await openStatsRig(await newDatabase());
    const midoffice = await rig.midoffice(NOWHERE);
    const delivered = async () =>
      (await read()).buckets.reduce((sum, one) => sum + one.delivered, 0);
    await attempt(midoffice, 'delivered');
    expect(await delivered()).toBe(0);
    clock.advance(2_000);
    await stats.flush();
    expect(await delivered()).toBe(1);
    await attempt(midoffice, 'delivered');
    await stats.stop();
    expect(await delivered()).toBe(2);
  });

  test('the counts of several nodes are summed', async () => {
    const { rig, stats, newStats, read, attempt } = await openStatsRig(await newDatabase());
    const other = newStats();
    const midoffice = await rig.midoffice(NOWHERE);
    await attempt(midoffice, 'delivered');
    await attempt(midoffice, 'delivered', other);
    await Promise.all([stats.flush(), other.flush()]);
    expect((await read()).buckets.at(-1)).toMatchObject({ delivered: 2 });
  });

  test('minutes are deleted once no chart shows them', async () => {
    const { rig, clock, stats, attempt } = await openStatsRig(await newDatabase());
    await attempt(await rig.midoffice(NOWHERE), 'delivered');
    await stats.flush();
    const housekeeping = startHousekeeping({
      environment: 'production',
      store: rig.store,
      retentionMs: 0,
      callsRetentionMs: 0,
      raise: async () => true,
      clock,
      log: rig.log,
      metrics: rig.metrics,
    });
    housekeeping.stop();
    const count = async () =>
      (await rig.store.db.selectFrom('minute_stat').selectAll().execute()).length;
    clock.advance(7 * 86_400_000);
    await housekeeping.round();
    expect(await count()).toBe(1);
    clock.advance(86_400_000);
    await housekeeping.round();
    expect(await count()).toBe(0);
  });
});
