/** How much a caller may send, and what to do with a body that Bellhop itself does not need. */
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { SENDER_PACE, watchSender } from '../listener/pace.ts';
import { Refusal } from './refusal.ts';

export const LARGEST_BODY_BYTES = 1_048_576;
/** What a refused caller may still send before it is disconnected. */
export const MOST_DISCARDED_BYTES = 16 * LARGEST_BODY_BYTES;

/** The whole body if it arrived with the headers (which is known one turn later), otherwise null. */
export function wholeBody(request: IncomingMessage): Buffer | null {
  if (!request.complete || request.headers['content-length'] === undefined) return null;
  const first = request.read() as Buffer | null;
  // What arrived in several reads is also read in several.
  let next = first && (request.read() as Buffer | null);
  if (!next) return first;
  const parts = [first as Buffer];
  for (; next; next = request.read() as Buffer | null) parts.push(next);
  return Buffer.concat(parts);
}

/** Infinity for a chunked body. */
export function announcedLength({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : Number.POSITIVE_INFINITY;
}

/** Checks the declared length; a body without one is counted as it arrives. */
export function checkAnnouncedLength(request: IncomingMessage): void {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY_BYTES) {
    throw new Refusal('bodyTooLarge');
  }
}

/** Into one buffer; for bodies whose declared length is small. */
export function collect(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => done(Buffer.concat(chunks)));
}

/** Reads to the end and discards it, at the pace that a body for the upstream must have, too. */
export function discardBody(request: IncomingMessage, clock: Clock): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let bytes = 0;
  const watch = watchSender(request, SENDER_PACE, clock, () =>
    reject(new Refusal('requestTimeout')),
  );
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY_BYTES) reject(new Refusal('bodyTooLarge'));
  });
  request.once('end', resolve);
  request.once('error', reject);
  request.once('close', () => reject(new Error('the caller has gone')));
  return promise.finally(() => watch.cancel());
}

/**
 * Passes a body on, and aborts it once it is too large. It also shields the request: undici destroys
 * the stream it is given when the upstream fails or replies early. Given the request itself, it would
 * close the caller's connection before the reply is sent.
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
