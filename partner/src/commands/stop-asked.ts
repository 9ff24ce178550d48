import type { EventEmitter } from 'node:events';

/**
 * Ctrl-C reaches every process of a terminal, and npm passes it on to the program that it runs. So there one
 * Ctrl-C arrives twice.
 */
const PASSED_ON_BY_NPM_MS = 500;

interface Surroundings {
  events: EventEmitter;
  isUnderNpm: boolean;
  nowMs(): number;
  /** Ends the process at once. */
  end(): void;
  /** A signal asks again. True if that shortens something, and is no reason to end the process. */
  hurry(): boolean;
}

const here: Surroundings = {
  events: process,
  isUnderNpm: process.env.npm_lifecycle_event !== undefined,
  nowMs: () => performance.now(),
  end() {
    process.removeAllListeners('SIGINT');
    process.kill(process.pid, 'SIGINT');
  },
  hurry: () => false,
};

/**
 * Resolves when one of these signals asks the process to stop. A second Ctrl-C ends it at once; other repetitions
 * change nothing, unless there is something to `hurry`. Call it before anything is awaited, so that an early Ctrl-C
 * also counts.
 */
export function stopAsked(
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'],
  given: Partial<Surroundings> = {},
): Promise<undefined> {
  const { events, isUnderNpm, nowMs, end, hurry } = { ...here, ...given };
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    let interrupts = 0;
    for (const signal of signals) {
      events.on(signal, () => {
        if (firstMs !== undefined && isUnderNpm && nowMs() - firstMs <= PASSED_ON_BY_NPM_MS) return;
        if (signal === 'SIGINT') interrupts++;
        if (firstMs === undefined) {
          firstMs = nowMs();
          resolve(undefined);
        } else if (!hurry() && interrupts > 1) end();
      });
    }
  });
}
