import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { CallsInFlight } from './calls-in-flight.ts';
import { FORWARD_LIMITS } from './forward-limits.ts';
import { Refusal, refusals } from './refusal.ts';

/** Tracks from outside which calls are in, waiting or refused. */
function openLedger(limits = FORWARD_LIMITS) {
  const clock = new ManualClock();
  const inFlight = new CallsInFlight(limits, clock);
  const held = new Map<string, number>();
  const waiting = new Map<string, number>();
  const refused: Refusal[] = [];
  const add = (counts: Map<string, number>, partner: string, more: number) =>
    counts.set(partner, (counts.get(partner) ?? 0) + more);
  return {
    clock,
    refused,
    heldBy: (partner: string) => held.get(partner) ?? 0,
    waitingOf: (partner: string) => waiting.get(partner) ?? 0,
    holders: () => [...held].filter(([, count]) => count > 0).map(([partner]) => partner),
    total: () => [...held.values()].reduce((sum, count) => sum + count, 0),
    /** If the last call waits, its outcome is known one turn later. */
    enter(partner: string, calls = 1): void {
      for (let call = 0; call < calls; call++) {
        const wait = inFlight.enter(partner);
        if (!wait) {
          add(held, partner, 1);
          continue;
        }
        add(waiting, partner, 1);
        wait
          .then(
            () => add(held, partner, 1),
            (refusal) => refused.push(refusal),
          )
          .finally(() => add(waiting, partner, -1));
      }
    },
    leave(partner: string): void {
      add(held, partner, -1);
      inFlight.leave(partner);
    },
  };
}

const settled = () => new Promise(setImmediate);

describe('how many', () => {
  test('a single partner gets half of all slots', () => {
    const ledger = openLedger();
    ledger.enter('large', 520);
    expect(ledger.heldBy('large')).toBe(256);
    ledger.enter('other', 8);
    expect(ledger.heldBy('other')).toBe(8);
  });

  test('two partners that keep calling get equal shares', async () => {
    const ledger = openLedger();
    ledger.enter('first', 400);
    ledger.enter('second', 400);
    for (let call = 0; call < 500; call++) {
      for (const partner of ['first', 'second']) {
        if (ledger.heldBy(partner) === 0) continue;
        ledger.leave(partner);
        ledger.enter(partner);
        await settled();
      }
    }
    expect(Math.abs(ledger.heldBy('first') - ledger.heldBy('second'))).toBeLessThanOrEqual(2);
    expect(ledger.total()).toBeGreaterThan(300);
  });

  test('fewer than 16 partners cannot take the first 8 slots of another', () => {
    const ledger = openLedger();
    for (let round = 0; round < 1_000; round++) {
      for (let hostile = 0; hostile < 15; hostile++) ledger.enter(`hostile ${hostile}`);
    }
    for (let call = 1; call <= 8; call++) {
      ledger.enter('other');
      expect(ledger.heldBy('other')).toBe(call);
    }
  });
});

test('a call waits only while there is no room, and a partner with few calls waits only for many others', async () => {
  const limits = {
    ...FORWARD_LIMITS,
    callsInFlight: 24,
    firstCalls: 2,
    reservedCalls: 8,
    longestQueue: 5,
  };
  const step = fc.record({
    partner: fc.integer({ min: 0, max: 7 }).map((n) => `partner ${n}`),
    does: fc.constantFrom('enter', 'enter', 'leave'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const ledger = openLedger(limits);
      for (const { partner, does } of steps) {
        if (does === 'enter') ledger.enter(partner);
        else if (ledger.heldBy(partner) > 0) ledger.leave(partner);
        await Promise.resolve();
        await Promise.resolve();
        expect(ledger.total()).toBeLessThanOrEqual(limits.callsInFlight);
        if (ledger.waitingOf(partner) === 0) continue;
        const free = limits.callsInFlight - ledger.total();
        const isFirst = ledger.heldBy(partner) < limits.firstCalls;
        expect(ledger.heldBy(partner)).toBeGreaterThanOrEqual(
          isFirst ? free : 2 * (free - limits.reservedCalls),
        );
        if (!isFirst) continue;
        const others = ledger.holders().filter((other) => other !== partner);
        expect(others.length).toBeGreaterThanOrEqual(limits.reservedCalls / limits.firstCalls);
      }
    }),
  );
});

describe('a call beyond the share', () => {
  const small = { ...FORWARD_LIMITS, callsInFlight: 3, firstCalls: 1, reservedCalls: 1 };

  test("waits for another of its partner's calls to end", async () => {
    const ledger = openLedger(small);
    ledger.enter('a', 3);
    expect([ledger.heldBy('a'), ledger.waitingOf('a')]).toEqual([2, 1]);
    ledger.leave('a');
    await settled();
    expect([ledger.heldBy('a'), ledger.waitingOf('a')]).toEqual([2, 0]);
    ledger.clock.advance(small.waitMs);
    await settled();
    expect(ledger.refused).toEqual([]);
  });

  test('is refused with Retry-After if none ends in time', async () => {
    const ledger = openLedger(small);
    ledger.enter('a', 4);
    ledger.clock.advance(small.waitMs - 1);
    await settled();
    expect(ledger.refused).toEqual([]);
    ledger.clock.advance(1);
    await settled();
    const [refusal, ...more] = ledger.refused;
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal?.kind).toBe(refusals.tooManyCallsInFlight);
    expect(refusal?.retryAfterMs).toBe(1_000);
    expect(more).toHaveLength(1);
    // It has also left the queue: the next call that ends makes room for a new one.
    ledger.leave('a');
    ledger.enter('a');
    expect(ledger.heldBy('a')).toBe(2);
  });

  test('is refused at once when the queue is full', async () => {
    const ledger = openLedger({ ...small, longestQueue: 2 });
    ledger.enter('a', 5);
    await settled();
    expect([ledger.heldBy('a'), ledger.waitingOf('a'), ledger.refused.length]).toEqual([2, 2, 1]);
  });

  test('does not block the calls of others: partners take turns', async () => {
    const ledger = openLedger({
      ...FORWARD_LIMITS,
      callsInFlight: 2,
      firstCalls: 2,
      reservedCalls: 0,
    });
    ledger.enter('hog', 10);
    ledger.enter('other', 1);
    expect(ledger.heldBy('hog')).toBe(2);
    ledger.leave('hog');
    ledger.leave('hog');
    await settled();
    expect([ledger.heldBy('hog'), ledger.heldBy('other')]).toEqual([1, 1]);
  });
});
