import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** What RFC 9112 has a server refuse and node:http lets through. */
export function checkMessage({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  const hosts = countHosts(rawHeaders);
  const isHttp = httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
  const coding = headers['transfer-encoding'];
  // Another coding would be taken off nowhere and announced to nobody.
  const isReadable = coding === undefined || coding.toLowerCase() === 'chunked';
  if (!isHttp || !isReadable) throw new Refusal('malformedRequest');
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}
