import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../gateway/usage-history/counts.ts';
import { type TriedHour, tryLimit } from './limit-trial.ts';

const HOURS = 6;

/** How many of the calls an exact limit refuses that admits at most so many in any span of so many seconds. */
function refusedOf(times: readonly number[], requests: number, seconds: number): number {
  const admitted: number[] = [];
  for (const at of times) {
    const inWindow = admitted.filter((one) => one > at - seconds * 1_000).length;
    if (inWindow < requests) admitted.push(at);
  }
  return times.length - admitted.length;
}

/** As the usage history counts them: the peak is the most calls in a span that ends in the hour. */
function historyOf(times: readonly number[], peakSeconds: number): TriedHour[] {
  return Array.from({ length: HOURS }, (_, n) => {
    const own = times.filter((at) => Math.floor(at / HOUR_MS) === n);
    const peaks = own.map(
      (end) => times.filter((at) => at <= end && at > end - peakSeconds * 1_000).length,
    );
    return {
      atMs: n * HOUR_MS,
      calls: own.length,
      peak: peakSeconds ? Math.max(0, ...peaks) : null,
    };
  });
}

const seconds = fc.constantFrom(1, 10, 60, 600, 3_600, 7_200, 86_400);

test('the range holds what an exact limit refuses, whenever the calls came', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: HOURS * HOUR_MS - 1 }), { maxLength: 60 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 20 }),
      seconds,
      fc.constantFrom(0, 10, 60, 3_600, 7_200),
      (spread, together, requests, window, peakSeconds) => {
        // Random times hardly ever meet in one window.
        const times = spread
          .map((at) => (together ? at - (at % 1_800_000) : at))
          .sort((a, b) => a - b);
        const limit = { requests_number: requests, seconds_number: window };
        const tried = tryLimit(historyOf(times, peakSeconds), { limit, fromMs: 0, peakSeconds });
        const refused = refusedOf(times, requests, window);
        expect(tried.at_least).toBeLessThanOrEqual(refused);
        expect(tried.at_most).toBeGreaterThanOrEqual(refused);
        expect(tried.calls).toBe(times.length);
      },
    ),
  );
});

test('an hour says how many calls it had, and what is known of a burst counts', () => {
  const hour = { atMs: 0, calls: 50, peak: 20 };
  const asked = { fromMs: 0, peakSeconds: 60 };
  const tenAMinute = { requests_number: 10, seconds_number: 60 };
  expect(tryLimit([hour], { limit: tenAMinute, ...asked })).toEqual({
    at_least: 10,
    at_most: 40,
    calls: 50,
    hours: [{ at: '1970-01-01T00:00:00.000Z', at_least: 0, at_most: 40, calls: 50 }],
  });
  const tenAnHour = { requests_number: 10, seconds_number: 3_600 };
  expect(tryLimit([hour], { limit: tenAnHour, ...asked })).toMatchObject({
    at_least: 40,
    at_most: 40,
  });
  const fiftyAMinute = { requests_number: 50, seconds_number: 60 };
  expect(tryLimit([hour], { limit: fiftyAMinute, ...asked })).toMatchObject({
    at_most: 0,
    hours: [],
  });
});
