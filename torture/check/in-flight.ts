/** No midoffice is sent more at once than it takes, however many nodes there are. */
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
  // At the same millisecond nobody knows which came first: the end, then.
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
