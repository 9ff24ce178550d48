import type { EventEmitter } from 'node:events';
import { isatty } from 'node:tty';

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
  const stopping = Promise.withResolvers<undefined>();
  for (const signal of signals) events.on(signal, () => stopping.resolve(undefined));
  events.once('SIGINT', () => {
    const firstMs = nowMs();
    events.on('SIGINT', () => {
      if (!isUnderNpm || nowMs() - firstMs > PASSED_ON_BY_NPM_MS) end();
    });
  });
  return stopping.promise;
}

/** Standard input, output and error. */
const STREAMS = [0, 1, 2];

/**
 * SIGHUP has two meanings. The system sends it when a terminal is closed: then this resolves, because nobody could
 * reach the server with Ctrl-C any more. Every other one is sent by people and scripts to a server that is to go on.
 */
export function terminalClosed(
  onOther: () => void,
  { events, isTerminal }: { events: EventEmitter; isTerminal(descriptor: number): boolean } = {
    events: process,
    isTerminal: isatty,
  },
): Promise<undefined> {
  const terminals = STREAMS.filter(isTerminal);
  return new Promise((resolve) => {
    events.on('SIGHUP', () => {
      // A terminal that was closed no longer counts as one.
      if (terminals.every(isTerminal)) onOther();
      else resolve(undefined);
    });
  });
}
