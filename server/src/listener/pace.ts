/**
 * Deadlines for callers that send or read as slowly as they can. Both measure bytes per span of time:
 * a byte now and then would satisfy a deadline that only watches for silence.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../base/clock.ts';

export interface Pace {
  paceBytes: number;
  paceMs: number;
}

/** A body must be complete, or bring this much more, in each span of this length. */
export const SENDER_PACE: Pace = { paceBytes: 65_536, paceMs: 10_000 };

/** Reports a body that is incomplete and brings less than `paceBytes` in a span of `paceMs`. */
export function watchSender(
  request: IncomingMessage,
  { paceBytes, paceMs }: Pace,
  clock: Clock,
  onTooSlow: () => void,
  isHeldUp = () => false,
): Timer {
  let bytes = 0;
  // Not what the socket has read: of small chunks, most of that is framing.
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return repeat(paceMs, clock, () => {
    const before = bytes;
    return () => {
      if (request.complete) return 'over';
      if (isHeldUp() || bytes - before >= paceBytes) return 'again';
      onTooSlow();
      return 'over';
    };
  });
}

/** Reports a caller that has not read the waiting reply data within `readerMs`. */
export function watchReader(
  { socket }: ServerResponse,
  readerMs: number,
  clock: Clock,
  onTooSlow: () => void,
): Timer {
  return repeat(readerMs, clock, () => {
    const owed = socket?.bytesWritten ?? 0;
    return () => {
      const left = (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0);
      if (left >= owed) return 'again';
      onTooSlow();
      return 'over';
    };
  });
}

type Check = () => 'again' | 'over';

/** Starts one span after another, and checks at the end of each. */
function repeat(spanMs: number, clock: Clock, begin: () => Check): Timer {
  let timer: Timer;
  const next = () => {
    const check = begin();
    timer = clock.after(spanMs, () => {
      if (check() === 'again') next();
    });
  };
  next();
  return { cancel: () => timer.cancel() };
}
