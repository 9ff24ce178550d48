/** How much a caller may send, and what to do with a body that Bellhop itself has no use for. */
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { Refusal } from './refusal.ts';

export const LARGEST_BODY_BYTES = 1_048_576;

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length ?? '0') !== '0';
}

/** The announced length; a body without one is counted as it comes. */
export function checkAnnouncedLength(request: IncomingMessage): void {
  if (Number(request.headers['content-length'] ?? 0) > LARGEST_BODY_BYTES) {
    throw new Refusal('bodyTooLarge');
  }
}

/** Reads to the end and throws away. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > LARGEST_BODY_BYTES) throw new Refusal('bodyTooLarge');
  }
}

/** Passes a body of unknown length on, and breaks off with a Refusal once it is too large. */
export function capped(onTooLarge: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= LARGEST_BODY_BYTES) return done(null, chunk);
      onTooLarge();
      done(new Error('the body is too large'));
    },
  });
}
