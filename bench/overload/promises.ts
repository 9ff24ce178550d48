/**
 * What an overloaded Bellhop promises. These are the promises that a run checks, and that its exit code depends on.
 * Latencies and memory depend on the machine and on how busy it is, so the page only shows them.
 */
import type { Overload, Period } from './document.ts';

/** Of the rate that deliveries have alone. */
const LEAST_SHARE = 1 / 3;

/** How much of the rate that deliveries have alone they kept while events poured in. */
export function deliveredShare({
  periods,
  capacity,
}: Pick<Overload, 'periods' | 'capacity'>): number {
  const seconds = periods.at(-1)?.atSeconds ?? 0;
  return sumOf(periods, ({ delivered }) => delivered) / seconds / capacity;
}

export function brokenPromises(run: Overload): string[] {
  const share = deliveredShare(run);
  const broken: string[] = [];
  if (run.lost !== 0) broken.push(`${run.lost} accepted events were not delivered.`);
  if (run.failed !== 0) {
    broken.push(`${run.failed} requests failed in another way than 503 with Retry-After.`);
  }
  // Also when no period was measured and the share is not a number.
  if (!(share >= LEAST_SHARE)) {
    broken.push(
      `Deliveries kept ${percent(share)} of the rate that they have alone, less than ${percent(LEAST_SHARE)}.`,
    );
  }
  return broken;
}

export function sumOf(periods: readonly Period[], of: (period: Period) => number): number {
  return periods.reduce((total, period) => total + of(period), 0);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
