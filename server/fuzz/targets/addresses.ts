/** Addresses and networks: from sockets, from X-Forwarded-For, from support and from operators. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import fc from 'fast-check';
import {
  EVERYWHERE,
  isInside,
  neighbourhood,
  parseCidr,
  plainAddress,
  readAddress,
} from '../../src/base/addresses/addresses.ts';
import { callerAddress } from '../../src/base/addresses/caller-address.ts';
import { cidrs } from '../../src/base/config/values.ts';
import { parser } from '../target.ts';

const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended());
const zone = fc.constantFrom('', '%eth0', '%eth0.100', '%br-1a2b', '%1', '%');
const words = ['::', '::ffff:', '%eth0', '/0', '/32', '/128', '127.0.0.1', 'fe80::', '64:ff9b::'];

export const networks = parser('networks', {
  words,
  shapes: fc
    .tuple(address, zone, fc.nat({ max: 130 }))
    .map(([text, name, n]) => `${text}${name}/${n}`),
  check(input) {
    const text = input.toString('latin1');
    const cidr = parseCidr(text);
    if (!cidr) return;
    const [network, length] = cidr;
    assert.notEqual(isIP(text.split('/')[0] as string), 0, 'accepted something that is no address');
    const again = parseCidr(`${network}/${length}`);
    assert.equal(String(again), String(cidr), 'reads its own spelling as another network');
    // An IPv6 network around the mapped addresses holds no IPv4 address.
    if (readAddress(String(network))?.kind() !== network.kind()) return;
    assert.ok(isInside(String(network), [cidr]), 'a network does not hold its own address');
  },
});

export const addresses = parser('addresses', {
  words,
  shapes: fc.tuple(address, zone).map(([text, name]) => text + name),
  check(input) {
    const text = input.toString('latin1');
    const plain = plainAddress(text);
    neighbourhood(text);
    const inside = isInside(text, EVERYWHERE);
    if (isIP(text) === 0) return;
    assert.notEqual(isIP(plain), 0, 'the plain spelling is no address');
    assert.equal(plainAddress(plain), plain, 'the plain spelling has a plainer one');
    assert.ok(inside, 'an address is outside of everything');
    const withoutZone = text.replace(/%.*$/, '');
    assert.equal(neighbourhood(text), neighbourhood(withoutZone), 'the zone makes a difference');
  },
});

const PROXIES = cidrs('10.0.0.0/8,fd00::/8,::1');

/** The first line is the peer's address, the rest is X-Forwarded-For. */
export const forwardedFor = parser('forwarded-for', {
  words: [...words, ', ', '10.0.0.1', 'fd00::1', '[', ']:443', ':80', '"', 'unknown', '\n'],
  shapes: fc
    .tuple(
      fc.constantFrom('10.0.0.1', '::ffff:10.0.0.2', 'fd00::1%eth0.100', '192.0.2.1'),
      fc.array(address),
    )
    .map(([peer, hops]) => `${peer}\n${hops.join(', ')}`),
  check(input) {
    const [peer = '', ...rest] = input.toString('latin1').split('\n');
    const header = rest.join('');
    const caller = callerFrom(peer, header);
    const plainPeer = plainAddress(peer);
    assert.ok(caller === plainPeer || isIP(caller) !== 0, 'the caller is no address');
    neighbourhood(caller);
    if (!isInside(plainPeer, PROXIES)) assert.equal(caller, plainPeer, 'believed a stranger');
    if (isInside(caller, PROXIES)) return;
    assert.equal(callerFrom(peer, `6.6.6.6, ${header}`), caller, 'believed what a caller wrote');
  },
});

function callerFrom(remoteAddress: string, forwarded: string): string {
  const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } };
  return callerAddress(request as unknown as IncomingMessage, PROXIES);
}
