/**
 * One wide JSON line per request and per webhook attempt, on stderr (stdout belongs to the start-up
 * text and the ready line). Written in the background in blocks: a write per request would cost more
 * than answering it. No line ever holds an API key, a token or an Authorization header.
 */
import pino from 'pino';

export type Log = pino.Logger;

const BLOCK_BYTES = 8_192;
const FLUSH_MS = 500;

export function createLog(level: string): Log & { end(): Promise<void> } {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: BLOCK_BYTES,
    periodicFlush: FLUSH_MS,
  });
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return Object.assign(log, {
    end: () =>
      new Promise<void>((resolve) => {
        log.flush(() => resolve());
      }),
  });
}
