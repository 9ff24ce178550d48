/** Attempts that are counted for the console's charts, without a worker: a test settles each as it wishes. */
import { onTestFinished } from 'vitest';
import { type DeliveryStats, startDeliveryStats } from '../src/delivery/delivery-stats.ts';
import type { StatsSpan } from '../src/resources/stats/chart.ts';
import { createStatsReader } from '../src/resources/stats/stats.ts';
import { Rig, type TestDatabase } from './delivery-rig.ts';
import { ManualClock } from './manual-clock.ts';
import { type Outcome, QueueOwner } from './queue-owner.ts';

/** Nothing is sent, so nothing needs to listen here. */
export const NOWHERE = 'http://127.0.0.1:9/hook';

export async function openStatsRig(database: TestDatabase) {
  const clock = new ManualClock(Date.UTC(2026, 0, 31, 12, 7, 30));
  const rig = await Rig.open(database, { clock });
  const backOffice = await database.openBackOffice(rig.store, clock);
  onTestFinished(() => backOffice.close());
  const owner = await QueueOwner.of(rig);
  const newStats = () =>
    startDeliveryStats({ environment: 'production', store: rig.store, clock, log: rig.log });
  const stats = newStats();
  const read = (span: StatsSpan = 'hour') => createStatsReader(rig.environment, backOffice)(span);

  /** Accepts one delivery and settles its next attempt, which `counting` counts. */
  async function attempt(
    midoffice: { id: string; partnerId: string },
    outcome: Outcome,
    counting: DeliveryStats = stats,
  ): Promise<string> {
    const [id] = await rig.accept(midoffice, ['order']);
    const begun = await owner.begin({ [midoffice.id]: 1 });
    for (const settled of await owner.settle(begun, outcome)) counting.note(settled);
    return id as string;
  }

  return { rig, backOffice, owner, clock, stats, newStats, read, attempt };
}
