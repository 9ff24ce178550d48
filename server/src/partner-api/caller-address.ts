/**
 * Whose address counts. Without trusted proxies it is the peer's; behind them it is the last entry of
 * X-Forwarded-For that no trusted proxy of ours could have written about itself.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Cidr } from '../config/values.ts';
import { isInside } from './allow-list.ts';

export function callerAddress(request: IncomingMessage, trustedProxies: readonly Cidr[]): string {
  const peer = plain(request.socket.remoteAddress ?? '');
  if (trustedProxies.length === 0 || !isInside(peer, trustedProxies)) return peer;
  const forwardedFor = request.headers['x-forwarded-for'];
  if (typeof forwardedFor !== 'string') return peer;
  let caller = peer;
  for (const hop of forwardedFor.split(',').reverse()) {
    const address = plain(hop.trim());
    if (!isIP(address)) return caller;
    caller = address;
    if (!isInside(address, trustedProxies)) return caller;
  }
  return caller;
}

function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
