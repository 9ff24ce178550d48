/** How much a caller may send, and what to do with a body that Bellhop itself has no use for. */
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import type { Clock } from '../clock.ts';
import { LINGER_MS } from '../listening/raw-reply.ts';
import { Refusal } from './refusal.ts';

export const LARGEST_BODY_BYTES = 1_048_576;
/** What a refused caller may still send before the connection is cut. */
const LINGER_BYTES = 16 * LARGEST_BODY_BYTES;

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length ?? '0') !== '0';
}

/** There is a body, and not all of it is here. */
export function isArriving(request: IncomingMessage): boolean {
  return !request.complete && hasBody(request);
}

/** All of it, if it came along with the headers (which shows a turn later), else null. */
export function wholeBody(request: IncomingMessage): Buffer | null {
  if (!request.complete || request.headers['content-length'] === undefined) return null;
  const first = request.read() as Buffer | null;
  // What came in several reads is also read in several.
  let next = first && (request.read() as Buffer | null);
  if (!next) return first;
  const parts = [first as Buffer];
  for (; next; next = request.read() as Buffer | null) parts.push(next);
  return Buffer.concat(parts);
}

/** Infinity for a body that comes in chunks. */
export function announcedLength({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : Number.POSITIVE_INFINITY;
}

/** The announced length; a body without one is counted as it comes. */
export function checkAnnouncedLength(request: IncomingMessage): void {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY_BYTES) {
    throw new Refusal('bodyTooLarge');
  }
}

/** Into one buffer; for bodies that are announced to be small. */
export function collect(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => done(Buffer.concat(chunks)));
}

/** Reads to the end and throws away. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > LARGEST_BODY_BYTES) throw new Refusal('bodyTooLarge');
  }
}

/**
 * Closing on a caller that is still sending resets the connection, and the reply is lost on the way
 * to callers that read it only once they have sent everything. So the rest is read and thrown away,
 * up to a point.
 */
export function linger(request: IncomingMessage, clock: Clock, end: () => void): void {
  let bytes = 0;
  const cut = clock.after(LINGER_MS, end);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) end();
  });
  request.once('close', () => {
    cut.cancel();
    end();
  });
  request.on('error', () => {});
  request.unpipe();
  request.resume();
}

/**
 * Passes a body on, and breaks off once it is too large. Also a fence: undici destroys what it is
 * given when the upstream fails or replies early, and with the request itself the caller's
 * connection would go, before the reply is out.
 */
export function capped(request: IncomingMessage, onTooLarge: () => void): Transform {
  let bytes = 0;
  return request.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        if (bytes <= LARGEST_BODY_BYTES) return done(null, chunk);
        onTooLarge();
        done(new Error('the body is too large'));
      },
    }),
  );
}
