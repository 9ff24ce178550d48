/**
 * What a limiter promises while its limit changes, changes back, and its process restarts.
 *
 * A window is live from its first admission until it has admitted nothing for its span.
 * Each window counts at least what was admitted while it was live, whichever window admitted it,
 * and at most what was admitted at all. A crash loses short windows, and whatever was admitted while no
 * window of an hour or more was live.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { DURABLE_WINDOW_SECONDS, type Standing, type Window } from '../src/limiter/limiter.ts';

export type Step = { waitMs: number; window: Window } | 'stop' | 'crash';

export interface Changing {
  nowMs(): number;
  wait(ms: number): Promise<void>;
  admit(window: Window): Promise<Standing>;
  /** A new process: after an orderly stop, or after `kill -9`. */
  restart(how: 'stop' | 'crash'): Promise<void>;
}

/** Few windows, so that each is used again; several calls use one before the next change. */
export function changesBetween(options: {
  seconds: number[];
  waitsMs: number[];
  turns: number;
}): fc.Arbitrary<Step[]> {
  const windows = fc.uniqueArray(
    fc.record({
      requests: fc.integer({ min: 1, max: 12 }),
      seconds: fc.constantFrom(...options.seconds),
    }),
    { minLength: 2, maxLength: 4, selector: ({ requests, seconds }) => `${requests}/${seconds}` },
  );
  const waits = fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    fc.constantFrom(...options.waitsMs),
  );
  const restart = fc.constantFrom<Step[]>('stop', 'crash');
  return windows.chain((few) => {
    const turn = fc
      .record({
        window: fc.constantFrom(...few),
        waitsMs: fc.array(waits, { minLength: 1, maxLength: 15, size: 'max' }),
      })
      .map(({ window, waitsMs }) => waitsMs.map((waitMs): Step => ({ waitMs, window })));
    const part = fc.oneof(
      { weight: 4, arbitrary: turn },
      restart.map((step) => [step]),
    );
    return fc
      .array(part, { minLength: 2, maxLength: options.turns, size: 'max' })
      .map((parts) => parts.flat());
  });
}

/** Times are rounded to microseconds, and in a journal to milliseconds, so a slot may become free late. */
const LATE_MS = 2;

/** The clock may advance during a call, which was decided at some moment in between. */
interface Admitted {
  fromMs: number;
  toMs: number;
  mayBeLost: boolean;
}

interface Live {
  /** Its start, as an index in the list of all admissions. */
  since: number;
  lastMs: number;
}

export async function holdChangesToTheRule(limiter: Changing, steps: Step[]): Promise<void> {
  let admitted: Admitted[] = [];
  const lives = new Map<string, { window: Window; live: Live }>();
  for (const step of steps) {
    if (step === 'stop' || step === 'crash') {
      await limiter.restart(step);
      if (step === 'crash') {
        admitted = admitted.map(afterCrash);
        for (const [name, { window }] of lives) if (!isDurable(window)) lives.delete(name);
      }
      continue;
    }
    const { window } = step;
    const spanMs = window.seconds * 1_000;
    await limiter.wait(step.waitMs);
    const fromMs = limiter.nowMs();
    const standing = await limiter.admit(window);
    const toMs = limiter.nowMs();

    const name = `${window.requests}/${window.seconds}`;
    const known = lives.get(name)?.live;
    const live = known && toMs - known.lastMs < spanMs ? known : undefined;
    const surely = admitted.filter(
      (one, index) => live && index >= live.since && !isLost(one) && toMs - one.fromMs < spanMs,
    ).length;
    const possibly = admitted.filter((one) => fromMs - one.toMs < spanMs + LATE_MS).length;
    if (standing.admitted) {
      const counted = window.requests - 1 - standing.remaining;
      expect(counted).toBeGreaterThanOrEqual(surely);
      expect(counted).toBeLessThanOrEqual(possibly);
    } else {
      expect(possibly).toBeGreaterThanOrEqual(window.requests);
      continue;
    }

    lives.set(name, {
      window,
      live: { since: live?.since ?? admitted.length, lastMs: fromMs },
    });
    const outlivesCrash = [...lives.values()].some(
      (one) => isDurable(one.window) && toMs - one.live.lastMs < one.window.seconds * 1_000,
    );
    admitted.push({ fromMs, toMs, mayBeLost: !outlivesCrash });
  }
}

function isDurable({ seconds }: Window): boolean {
  return seconds >= DURABLE_WINDOW_SECONDS;
}

function afterCrash(one: Admitted): Admitted {
  return one.mayBeLost ? { ...one, fromMs: Number.NEGATIVE_INFINITY } : one;
}

function isLost({ fromMs }: Admitted): boolean {
  return fromMs === Number.NEGATIVE_INFINITY;
}
