/** No midoffice gets more concurrent attempts than its `max_in_flight`, whatever the number of nodes. */
import type { Ledger, Reception } from '../ledger.ts';
import type { Office } from '../world.ts';
import { earliestEndMs } from './case.ts';

export function checkInFlight(ledger: Ledger): void {
  const byOffice = Map.groupBy(ledger.receptions, ({ office }) => office);
  for (const [office, receptions] of byOffice) {
    const { most, atMs } = mostAtOnce(receptions);
    if (most <= office.maxInFlight) continue;
    ledger.violate(
      'no more in flight than the midoffice takes',
      `${named(office)}: ${most} at ${new Date(atMs).toISOString()}, ${office.maxInFlight} allowed`,
    );
  }
}

function mostAtOnce(receptions: readonly Reception[]): { most: number; atMs: number } {
  const steps = receptions.flatMap((one) => [
    { atMs: one.arrivedAtMs, by: 1 },
    { atMs: earliestEndMs(one), by: -1 },
  ]);
  // Within the same millisecond the order is unknown: assume that the end came first.
  steps.sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let now = 0;
  let peak = { most: 0, atMs: 0 };
  for (const { atMs, by } of steps) {
    now += by;
    if (now > peak.most) peak = { most: now, atMs };
  }
  return peak;
}

function named({ environment, character }: Office): string {
  return `${environment} "${character}"`;
}
