import { describe, expect, test } from 'vitest';
import type { Overload, Period } from './document.ts';
import { brokenPromises, deliveredShare } from './promises.ts';

/** Two periods of ten seconds, at a capacity of 3,000 webhooks a second. */
function runWith(deliveredEach: number, rest: Partial<Overload> = {}): Overload {
  const periods = [10, 20].map((atSeconds) => ({ atSeconds, delivered: deliveredEach }) as Period);
  return { periods, capacity: 3_000, lost: 0, failed: 0, ...rest } as Overload;
}

describe('the promises of an overloaded Bellhop', () => {
  test('the share is the rate of the whole run, compared with the capacity', () => {
    expect(deliveredShare(runWith(15_000))).toBe(0.5);
  });

  test('are kept if deliveries get a third and nothing is lost or fails', () => {
    expect(brokenPromises(runWith(10_000))).toEqual([]);
  });

  test.each([
    ['deliveries get less than a third', runWith(9_900), /kept 33 % .* less than 33 %/],
    ['accepted events are lost', runWith(10_000, { lost: 2 }), /^2 accepted events/],
    ['requests fail', runWith(10_000, { failed: 3 }), /^3 requests failed/],
    ['nothing was measured', runWith(0, { periods: [] }), /kept NaN %/],
  ])('are broken if %s', (_, run, message) => {
    expect(brokenPromises(run)).toEqual([expect.stringMatching(message)]);
  });
});
