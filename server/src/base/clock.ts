/**
 * Time is passed in, so that a week of retries or a day-long window runs in a test in milliseconds.
 * There are two readings: `now` is for people and the database, `monotonic` for measuring.
 * They are kept apart because a wall clock that is set back must not open or close a limit.
 */
export interface Clock {
  /** Wall clock, whole milliseconds since 1970 (UTC). */
  now(): number;
  /** Milliseconds, with fractions, from an arbitrary start; never goes back. */
  monotonic(): number;
  /** Calls `run` once, `delayMs` from now. Timers never keep the process alive. */
  after(delayMs: number, run: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** setTimeout's own ceiling; a longer wait would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, run) {
    const timeout = setTimeout(run, Math.min(Math.max(delayMs, 0), LONGEST_TIMEOUT_MS));
    timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};

/** The wait after so many failures in a row: twice as long each time, up to the longest. */
export function backOffMs(failures: number, firstMs: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}

/**
 * Runs `work` again and again, each time `everyMs` after the last run has ended. It handles its own failures; after
 * those that it tells by `false`, the next run waits longer, up to `longestMs`.
 */
export function repeat(
  clock: Clock,
  everyMs: number,
  work: () => Promise<unknown>,
  longestMs = everyMs,
): Timer {
  let failures = 0;
  let cancelled = false;
  let timer = clock.after(everyMs, run);
  return {
    cancel() {
      cancelled = true;
      timer.cancel();
    },
  };

  async function run(): Promise<void> {
    failures = (await work()) === false ? failures + 1 : 0;
    if (cancelled) return;
    timer = clock.after(failures > 0 ? backOffMs(failures, everyMs, longestMs) : everyMs, run);
  }
}
