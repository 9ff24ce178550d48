import type { IncomingMessage } from 'node:http';

/** Undefined if the body is too large. It is still read to the end, or the sender would miss the answer. */
export async function readWhole(
  request: IncomingMessage,
  largestBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes <= largestBytes) chunks.push(chunk as Buffer);
  }
  return bytes <= largestBytes ? Buffer.concat(chunks) : undefined;
}
