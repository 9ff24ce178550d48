/**
 * Whose address counts. Without trusted proxies it is the peer's; behind them it is the last entry of
 * X-Forwarded-For that no trusted proxy of ours could have written about itself.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Cidr } from '../config/values.ts';
import { isInside } from './allow-list.ts';

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

/** The same IPv4 address however it is wrapped into an IPv6 one: it must count as one caller. */
export function plainAddress(address: string): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7);
  return /^[0:]*:ffff:/i.test(address) ? ipaddr.process(address).toString() : address;
}
