/**
 * Whose address counts as the caller's. Without trusted proxies it is the peer's. Behind them it is
 * the last entry of X-Forwarded-For that is not the address of a trusted proxy.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type Cidr, isInside, plainAddress } from './addresses.ts';

export function callerAddress(request: IncomingMessage, trustedProxies: readonly Cidr[]): string {
  const peer = plainAddress(request.socket.remoteAddress ?? '');
  if (trustedProxies.length === 0 || !isInside(peer, trustedProxies)) return peer;
  const forwardedFor = request.headers['x-forwarded-for'];
  if (typeof forwardedFor !== 'string') return peer;
  let caller = peer;
  for (const hop of forwardedFor.split(',').reverse()) {
    const address = addressIn(hop.trim());
    if (address === undefined) return caller;
    caller = address;
    if (!isInside(address, trustedProxies)) return caller;
  }
  return caller;
}

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | undefined {
  const [, inBrackets] = /^\[(.+)\](?::\d+)?$/.exec(hop) ?? [];
  const address = inBrackets ?? hop.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(address) ? plainAddress(address) : undefined;
}
