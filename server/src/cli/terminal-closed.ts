import type { EventEmitter } from 'node:events';
import { isatty } from 'node:tty';

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
