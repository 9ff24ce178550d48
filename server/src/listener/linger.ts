/** What to do with callers that are still sending when they are refused. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { LINGER_MS } from './raw-reply.ts';

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length ?? '0') !== '0';
}

/** There is a body, and it has not arrived completely. */
export function isArriving(request: IncomingMessage): boolean {
  return !request.complete && hasBody(request);
}

/**
 * Closing the connection while the caller is still sending resets it, and a caller that reads only
 * after it has sent everything would lose the reply. So the rest is read and discarded, up to this many bytes.
 */
export function linger(
  request: IncomingMessage,
  mostBytes: number,
  clock: Clock,
  end: () => void,
): void {
  const { socket } = request;
  const before = socket.bytesRead;
  const cut = clock.after(LINGER_MS, end);
  request.on('data', () => {
    // With the framing of chunks, which may be six times as long as they are.
    if (socket.bytesRead - before > mostBytes) end();
  });
  request.once('close', () => {
    cut.cancel();
    end();
  });
  request.on('error', () => {});
  request.unpipe();
  request.resume();
}
