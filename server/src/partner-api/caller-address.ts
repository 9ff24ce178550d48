/**
 * Whose address counts. Without trusted proxies it is the peer's; behind them it is the last entry of
 * X-Forwarded-For that no trusted proxy of ours could have written about itself.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isInside, plainAddress } from '../addresses/addresses.ts';
import type { Cidr } from '../config/values.ts';

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
