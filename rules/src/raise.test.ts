import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Limit, letsMoreThrough } from './raise.ts';

function limited(requests_number: number, seconds_number: number): Limit {
  return { is_limited: true, requests_number, seconds_number };
}

const unlimited: Limit = { is_limited: false, requests_number: 10, seconds_number: 60 };

describe('a raise', () => {
  test.each([
    ['more requests', limited(30, 60), limited(31, 60)],
    ['a shorter window', limited(30, 60), limited(30, 59)],
    ['10 in 10 s instead of 30 in 60 s', limited(30, 60), limited(10, 10)],
    [
      'the same rate in a longer window, which can be used all at once',
      limited(1, 1),
      limited(60, 60),
    ],
    ['no limit', limited(30, 60), unlimited],
    ['no limit instead of the highest', limited(1_000_000, 1), unlimited],
  ])('%s', (_what, before, after) => {
    expect(letsMoreThrough(before, after)).toBe(true);
  });

  test.each([
    ['an unchanged limit', limited(30, 60), limited(30, 60)],
    ['fewer requests', limited(30, 60), limited(29, 60)],
    ['a longer window', limited(30, 60), limited(30, 61)],
    ['half the requests in half the time', limited(30, 60), limited(15, 30)],
    ['any limit instead of none', unlimited, limited(1_000_000, 1)],
    ['still no limit', unlimited, unlimited],
  ])('is not %s', (_what, before, after) => {
    expect(letsMoreThrough(before, after)).toBe(false);
  });

  test('is found exactly when a greedy caller gets more calls through', () => {
    const number = fc.integer({ min: 1, max: 12 });
    const limit = fc.oneof(
      { weight: 9, arbitrary: fc.tuple(number, number).map(([n, s]) => limited(n, s)) },
      fc.constant(unlimited),
    );
    fc.assert(
      fc.property(limit, limit, (before, after) => {
        expect(letsMoreThrough(before, after)).toBe(breaksOldLimit(before, after));
      }),
      { numRuns: 2_000 },
    );
  });
});

/**
 * Calls as often as the new limit admits, second by second, for as long as a pattern can take to
 * show, and checks whether the old limit would have refused one of the calls.
 */
function breaksOldLimit(before: Limit, after: Limit): boolean {
  const admitted: number[] = [];
  const horizon = 3 * (before.seconds_number + after.seconds_number);
  for (let now = 0; now < horizon; now++) {
    for (let calls = 0; calls <= before.requests_number; calls++) {
      if (!admits(after, admitted, now)) break;
      if (!admits(before, admitted, now)) return true;
      admitted.push(now);
    }
  }
  return false;
}

function admits(limit: Limit, admitted: number[], now: number): boolean {
  if (!limit.is_limited) return true;
  const counted = admitted.filter((at) => now - at < limit.seconds_number);
  return counted.length < limit.requests_number;
}
