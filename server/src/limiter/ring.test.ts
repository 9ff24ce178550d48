import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callsTo, holdToTheRule, type Subject } from '../../testing/limits-oracle.ts';
import { Ring } from './ring.ts';

function ringSubject(): Subject {
  const ring = new Ring();
  let nowMs = 0;
  return {
    pass(ms) {
      nowMs += ms;
    },
    admit({ requests, seconds }) {
      const admitted = ring.admit(nowMs, requests, seconds * 1_000);
      return { ...ring.standing(nowMs, requests, seconds * 1_000), admitted };
    },
    standing: ({ requests, seconds }) => ring.standing(nowMs, requests, seconds * 1_000),
  };
}

describe('ring', () => {
  test('is exact while the limit goes up and down', () => {
    const windows = fc.record({
      requests: fc.integer({ min: 1, max: 20 }),
      seconds: fc.constant(1),
    });
    fc.assert(fc.property(callsTo(windows), (calls) => void holdToTheRule(ringSubject(), calls)));
  });

  test('is exact while the window grows and shrinks, as far back as its size goes', () => {
    const windows = fc.record({
      requests: fc.integer({ min: 1, max: 4 }),
      seconds: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(fc.property(callsTo(windows), (calls) => void holdToTheRule(ringSubject(), calls)));
  });

  test('sorts in what is recorded late', () => {
    const instants = fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 100 });
    fc.assert(
      fc.property(instants, (instantsMs) => {
        const ring = new Ring();
        for (const atMs of instantsMs) ring.record(atMs, Number.POSITIVE_INFINITY, 1_000);
        const held = Array.from({ length: ring.size }, (_, position) => ring.at(position));
        expect(held).toEqual(instantsMs.toSorted((a, b) => a - b));
      }),
    );
  });

  test('is idle once the longest window it was used for has passed', () => {
    const ring = new Ring();
    expect(ring.idle(0)).toBe(true);
    ring.admit(0, 5, 60_000);
    ring.admit(10, 5, 1_000);
    expect(ring.idle(60_009)).toBe(false);
    expect(ring.idle(60_010)).toBe(true);
  });

  test('keeps what a window of before needs until its span has passed, and no longer', () => {
    const ring = new Ring();
    for (let i = 0; i < 100; i++) ring.admit(0, 100, 60_000);
    for (let nowMs = 1_000; nowMs < 61_000; nowMs += 1_000) ring.admit(nowMs, 10, 1_000);
    expect(ring.size).toBe(100);
    expect(ring.standing(60_000, 100, 60_000).remaining).toBe(40);

    ring.use(61_000, 10, 1_000);
    expect(ring.size).toBe(10);
    expect(ring.longestSpanMs).toBe(1_000);
    expect(ring.idle(62_000)).toBe(true);
  });

  test('holds no more than the largest window does, however often windows change', () => {
    const ring = new Ring();
    for (let nowMs = 0; nowMs < 50_000; nowMs++) {
      ring.admit(nowMs, nowMs % 3 === 0 ? 20 : 5, nowMs % 7 === 0 ? 1 : 2);
    }
    expect(ring.size).toBeLessThanOrEqual(20);
  });

  test('never keeps more than the limit asks for', () => {
    const ring = new Ring();
    for (let nowMs = 0; nowMs < 10_000; nowMs++) ring.admit(nowMs, 10, 1);
    expect(ring.size).toBe(10);
  });
});

test('an instant older than all that count takes no slot from a younger one', () => {
  const ring = new Ring();
  for (const atMs of [10, 11, 12, 13]) ring.record(atMs, 4, 1_000);
  ring.insert(5);
  expect(ring.standing(14, 4, 1_000)).toEqual({ admitted: false, remaining: 0, resetInMs: 996 });
});

test('a reset is never later than a whole span from now, however fractions are rounded', () => {
  // Near a power of two, adding the span loses digits that the instant had.
  const spanMs = 60_000;
  for (let n = 0; n < 1_000; n++) {
    const nowMs = 2 ** 17 - Math.random() * spanMs;
    const ring = new Ring();
    ring.admit(nowMs, 1, spanMs);
    expect(ring.standing(nowMs, 1, spanMs).resetInMs).toBeLessThanOrEqual(spanMs);
  }
});
