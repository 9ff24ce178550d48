import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

const SPAN_MS = 1_000;

/** Wait for a while, and then begin as many attempts as the pace lets through, up to some number. */
const step = fc.record({
  waitMs: fc.oneof(fc.constantFrom(0, 999, 1_000, 1_002), fc.double({ min: 0, max: 1_500 })),
  wanted: fc.nat(8),
  maxPerSecond: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(null)),
});

test('lets no more attempts begin in any second than any pace that was in force for the whole of it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pace = new Pace();
      let nowMs = 0;
      const begun: { atMs: number; maxPerSecond: number | null }[] = [];
      for (const { waitMs, wanted, maxPerSecond } of steps) {
        nowMs += waitMs;
        for (let n = 0; n < wanted && pace.opensAtMs(maxPerSecond) <= nowMs; n++) {
          pace.begin(maxPerSecond, nowMs);
          begun.push({ atMs: nowMs, maxPerSecond });
        }
      }
      for (const [n, { atMs, maxPerSecond }] of begun.entries()) {
        if (maxPerSecond === null) continue;
        const inSpan = begun.slice(0, n + 1).filter((one) => one.atMs > atMs - SPAN_MS);
        expect(inSpan.length).toBeLessThanOrEqual(maxPerSecond);
      }
    }),
  );
});

test('opens as soon as the second is over, and lets a whole pace begin at once', () => {
  const pace = new Pace();
  for (const atMs of [0, 1_002, 2_004]) {
    for (let n = 0; n < 3; n++) {
      expect(pace.opensAtMs(3)).toBeLessThanOrEqual(atMs);
      pace.begin(3, atMs);
    }
    expect(pace.opensAtMs(3)).toBe(atMs + 1_002);
  }
});

test('waits for a second after attempts that it does not know', () => {
  const pace = new Pace();
  pace.begin(null, 50);
  expect([pace.opensAtMs(null), pace.opensAtMs(7)]).toEqual([Number.NEGATIVE_INFINITY, 1_052]);
  pace.startOver(500);
  expect([pace.opensAtMs(7), pace.isInUse(1_501), pace.isInUse(1_502)]).toEqual([
    1_502,
    true,
    false,
  ]);
});
