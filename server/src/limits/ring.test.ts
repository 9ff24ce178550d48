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

  test('never keeps more than the limit asks for', () => {
    const ring = new Ring();
    for (let nowMs = 0; nowMs < 10_000; nowMs++) ring.admit(nowMs, 10, 1);
    expect(ring.size).toBe(10);
  });
});
