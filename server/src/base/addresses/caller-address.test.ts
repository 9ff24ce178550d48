import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { cidrs } from '../config/values.ts';
import { callerAddress } from './caller-address.ts';

const PROXIES = cidrs('10.0.0.0/8,fd00::/8');

function from(peer: string, forwardedFor?: string, proxies = PROXIES): string {
  const request = {
    socket: { remoteAddress: peer },
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  };
  return callerAddress(request as unknown as IncomingMessage, proxies);
}

test.each([
  ['the peer, if no proxy is trusted', '10.0.0.1', '192.0.2.1', [], '10.0.0.1'],
  ['the peer, if it is not a proxy', '192.0.2.9', '192.0.2.1', PROXIES, '192.0.2.9'],
  ['the address that the proxy reports', '10.0.0.1', '192.0.2.1', PROXIES, '192.0.2.1'],
  [
    'the last address that is not one of our proxies',
    '10.0.0.1',
    '6.6.6.6, 192.0.2.1, 10.0.0.2',
    PROXIES,
    '192.0.2.1',
  ],
  ['the proxy, if its header is not an address', '10.0.0.1', 'unknown', PROXIES, '10.0.0.1'],
  ['an address with a port', '10.0.0.1', '192.0.2.1:4711', PROXIES, '192.0.2.1'],
  ['an address in brackets with a port', '10.0.0.1', '[2001:db8::1]:443', PROXIES, '2001:db8::1'],
  ['an address in brackets', '10.0.0.1', '[2001:db8::1]', PROXIES, '2001:db8::1'],
  ['a proxy over IPv6', 'fd00::1', '2001:db8::1', PROXIES, '2001:db8::1'],
  ['a mapped address', '::ffff:10.0.0.1', '::ffff:192.0.2.1', PROXIES, '192.0.2.1'],
  ['a mapped address in capitals', '10.0.0.1', '::FFFF:192.0.2.1', PROXIES, '192.0.2.1'],
  ['a mapped address in hexadecimal', '10.0.0.1', '::ffff:c000:201', PROXIES, '192.0.2.1'],
  ['a mapped address at length', '10.0.0.1', '0:0:0:0:0:ffff:192.0.2.1', PROXIES, '192.0.2.1'],
] as const)('finds %s', (_, peer, forwardedFor, proxies, expected) => {
  expect(from(peer, forwardedFor, [...proxies])).toBe(expected);
});
