import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

const SECOND_MS = 1_000;
/** What the pace takes for one. */
const SPAN_MS = 1_050;

/** Wait for a while, send some of those that have begun, and then begin as many as the pace lets through, up to some number. */
const step = fc.record({
  waitMs: fc.oneof(fc.constantFrom(0, 999, 1_000, SPAN_MS), fc.double({ min: 0, max: 1_500 })),
  sent: fc.nat(8),
  wanted: fc.nat(8),
  maxPerSecond: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(null)),
});

test('lets no more webhooks be sent in any second than the pace allows, however long each waits for its connection', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pace = new Pace();
      let nowMs = 0;
      const sentAtMs: number[] = [];
      let unsent = 0;
      for (const { waitMs, sent, wanted } of steps) {
        nowMs += waitMs;
        for (let n = 0; n < sent && unsent > 0; n++, unsent--) {
          pace.sent(3, nowMs);
          sentAtMs.push(nowMs);
        }
        for (let n = 0; n < wanted && pace.opensAtMs(3) <= nowMs; n++, unsent++) {
          pace.begin(3, nowMs);
        }
      }
      for (const [n, atMs] of sentAtMs.entries()) {
        const inSpan = sentAtMs.slice(0, n + 1).filter((one) => one > atMs - SECOND_MS);
        expect(inSpan.length).toBeLessThanOrEqual(3);
      }
    }),
  );
});

test('counts what began under another pace, or under none', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pace = new Pace();
      let nowMs = 0;
      const sentAtMs: number[] = [];
      for (const { waitMs, wanted, maxPerSecond } of steps) {
        nowMs += waitMs;
        for (let n = 0; n < wanted && pace.opensAtMs(maxPerSecond) <= nowMs; n++) {
          pace.begin(maxPerSecond, nowMs);
          pace.sent(maxPerSecond, nowMs);
          sentAtMs.push(nowMs);
          if (maxPerSecond === null) continue;
          const inSpan = sentAtMs.filter((one) => one > nowMs - SECOND_MS);
          expect(inSpan.length).toBeLessThanOrEqual(maxPerSecond);
        }
      }
    }),
  );
});

test('spreads the attempts of a second', () => {
  const pace = new Pace();
  const begunAtMs: number[] = [];
  for (let nowMs = 0; nowMs < 3 * SPAN_MS; nowMs++) {
    if (pace.opensAtMs(5) > nowMs) continue;
    pace.begin(5, nowMs);
    pace.sent(5, nowMs);
    begunAtMs.push(nowMs);
  }
  const gapsMs = begunAtMs.slice(1).map((atMs, n) => atMs - (begunAtMs[n] as number));
  expect(begunAtMs).toHaveLength(15);
  for (const gapMs of gapsMs) expect(Math.abs(gapMs - SPAN_MS / 5)).toBeLessThanOrEqual(11);
});

test('waits for a second after attempts that it does not know', () => {
  const pace = new Pace();
  pace.begin(null, 40);
  expect(pace.opensAtMs(1)).toBe(Number.POSITIVE_INFINITY);
  pace.sent(null, 50);
  expect([pace.opensAtMs(null), pace.opensAtMs(7)]).toEqual([
    Number.NEGATIVE_INFINITY,
    50 + SPAN_MS,
  ]);
  pace.startOver(500);
  expect([pace.opensAtMs(7), pace.isInUse(1_549), pace.isInUse(1_550)]).toEqual([
    1_550,
    true,
    false,
  ]);
});
