/** This machine's own addresses, which no other machine can reach. */
import { type Cidr, isInside, parseCidr } from './addresses.ts';

export const LOOPBACK: readonly Cidr[] = [
  parseCidr('127.0.0.0/8') as Cidr,
  parseCidr('::1/128') as Cidr,
];

/** `host` is an address or a name, or the host name of a URL. RFC 6761 reserves `localhost` for this machine. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || isInside(host.replace(/^\[|\]$/g, ''), LOOPBACK);
}
