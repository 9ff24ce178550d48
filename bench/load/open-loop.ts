/**
 * Calls at a steady rate, whether the earlier ones have been answered or not: callers outside do not slow down
 * because the server does. Past a bound, calls are left out and counted, so that the caller survives.
 */
const TICK_MS = 10;

export interface OpenLoop {
  /** Calls a second; 0 pauses. */
  rate: number;
  open: number;
  leftOut: number;
}

/** `mostOpen` calls may be unanswered at a time. */
export function openLoop(mostOpen: number, call: () => Promise<void>): OpenLoop {
  const loop: OpenLoop = { rate: 0, open: 0, leftOut: 0 };
  let lastMs = performance.now();
  let owed = 0;
  setInterval(() => {
    const nowMs = performance.now();
    owed += ((nowMs - lastMs) / 1_000) * loop.rate;
    lastMs = nowMs;
    for (; owed >= 1; owed--) {
      if (loop.open >= mostOpen) {
        loop.leftOut++;
        continue;
      }
      loop.open++;
      void call().finally(() => {
        loop.open--;
      });
    }
  }, TICK_MS);
  return loop;
}
