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
}

const here: Surroundings = {
  events: process,
  isUnderNpm: process.env.npm_lifecycle_event !== undefined,
  nowMs: () => performance.now(),
  end() {
    process.removeAllListeners('SIGINT');
    process.kill(process.pid, 'SIGINT');
  },
};

/**
 * Resolves when one of these signals asks the process to stop. A second Ctrl-C ends it at once; other repetitions
 * change nothing. Call it before anything is awaited, so that an early Ctrl-C also counts.
 */
export function stopAsked(
  signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'],
  { events, isUnderNpm, nowMs, end } = here,
): Promise<undefined> {
  events.once('SIGINT', () => {
    const firstMs = nowMs();
    events.on('SIGINT', () => {
      if (!isUnderNpm || nowMs() - firstMs > PASSED_ON_BY_NPM_MS) end();
    });
  });
  return new Promise((resolve) => {
    for (const signal of signals) events.on(signal, () => resolve(undefined));
  });
}
