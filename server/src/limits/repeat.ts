import type { Clock, Timer } from '../clock.ts';

/** Runs `work` again and again, each time `everyMs` after the last run has ended. It handles its own failures. */
export function repeat(clock: Clock, everyMs: number, work: () => Promise<void>): Timer {
  let cancelled = false;
  let timer = clock.after(everyMs, run);
  return {
    cancel() {
      cancelled = true;
      timer.cancel();
    },
  };

  async function run(): Promise<void> {
    await work();
    if (!cancelled) timer = clock.after(everyMs, run);
  }
}
