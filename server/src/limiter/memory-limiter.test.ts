import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeLimiter } from '../../testing/conformance/limits.ts';
import { MemoryJournal } from '../../testing/limits-journal.ts';
import { callsTo, holdToTheRule, type Subject } from '../../testing/limits-oracle.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { Limiter, Standing, Window } from './limiter.ts';
import { createMemoryLimiter } from './memory-limiter.ts';

const DAY: Window = { requests: 3, seconds: 86_400 };
const MINUTE: Window = { requests: 3, seconds: 60 };

describeLimiter('memory', 1, async () => {
  const clock = new ManualClock();
  const limiter = await createMemoryLimiter({ clock });
  return { limiter, wait: async (ms) => clock.advance(ms) };
});

function subjectOf(limiter: Limiter, clock: ManualClock): Subject {
  return {
    pass: (ms) => clock.advance(ms),
    admit: (window) => limiter.admit('7', 'overview/', window) as Standing,
    standing: (window) => limiter.standing('7', 'overview/', window) as Standing,
  };
}

describe('memory limiter', () => {
  test('admits never more than N in S, and never fewer', async () => {
    const oneWindow = fc.record({
      requests: fc.integer({ min: 1, max: 20 }),
      seconds: fc.integer({ min: 1, max: 3 }),
    });
    const runs = oneWindow.chain((window) =>
      fc.record({ window: fc.constant(window), calls: callsTo(fc.constant(window)) }),
    );
    await fc.assert(
      fc.asyncProperty(runs, async ({ window, calls }) => {
        const clock = new ManualClock();
        const limiter = await createMemoryLimiter({ clock });
        const admittedMs = holdToTheRule(subjectOf(limiter, clock), calls);
        for (let last = window.requests; last < admittedMs.length; last++) {
          const spanMs = (admittedMs[last] ?? 0) - (admittedMs[last - window.requests] ?? 0);
          expect(spanMs).toBeGreaterThanOrEqual(window.seconds * 1_000);
        }
        await limiter.close();
      }),
    );
  });

  test('is exact while the limit is changed and idle rings are swept', async () => {
    const windows = fc.record({
      requests: fc.integer({ min: 1, max: 40 }),
      seconds: fc.constant(90),
    });
    await fc.assert(
      fc.asyncProperty(callsTo(windows), async (calls) => {
        const clock = new ManualClock();
        const limiter = await createMemoryLimiter({ clock });
        holdToTheRule(subjectOf(limiter, clock), calls);
        await limiter.close();
      }),
    );
  });

  test('answers at once for a short window, and for any without a journal', async () => {
    const clock = new ManualClock();
    const forgetful = await createMemoryLimiter({ clock });
    expect(forgetful.admit('7', 'overview/', DAY)).not.toBeInstanceOf(Promise);
    const journaling = await createMemoryLimiter({ clock, journal: new MemoryJournal() });
    expect(journaling.admit('7', 'overview/', MINUTE)).not.toBeInstanceOf(Promise);
    expect(journaling.admit('7', 'overview/', DAY)).toBeInstanceOf(Promise);
  });

  test('a wall clock that is set does not move a window', async () => {
    const clock = new ManualClock();
    const limiter = await createMemoryLimiter({ clock });
    for (let i = 0; i < 3; i++) limiter.admit('7', 'overview/', MINUTE);
    clock.setWallClock(clock.now() + 3_600_000);
    expect(limiter.standing('7', 'overview/', MINUTE)).toMatchObject({ remaining: 0 });
    clock.setWallClock(0);
    clock.advance(60_000);
    expect(limiter.standing('7', 'overview/', MINUTE)).toMatchObject({ remaining: 3 });
  });

  test('leaves no timer behind', async () => {
    const clock = new ManualClock();
    const limiter = await createMemoryLimiter({ clock, journal: new MemoryJournal() });
    await limiter.close();
    expect(clock.nextTimerInMs).toBeUndefined();
  });
});
