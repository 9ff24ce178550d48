import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import {
  type Cidr,
  isInside,
  isLoopback,
  neighbourhood,
  parseCidr,
  plainAddress,
} from './addresses.ts';

/** 0 and 1 are as likely as all other values together, so that addresses coincide often. */
const part = (max: number) => fc.oneof(fc.constantFrom(0, 1, max), fc.integer({ min: 0, max }));
const v4 = fc.array(part(255), { minLength: 4, maxLength: 4 });
const v6 = fc.array(part(0xffff), { minLength: 8, maxLength: 8 });
const dotted = (bytes: readonly number[]) => bytes.join('.');
const coloned = (words: readonly number[]) => words.map((word) => word.toString(16)).join(':');

/** Compares bit by bit, the slow way. */
const bits = (parts: readonly number[], width: number) =>
  parts.map((value) => value.toString(2).padStart(width, '0')).join('');

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (!parsed) throw new Error(`not a CIDR: ${text}`);
  return parsed;
}

describe('an address is inside a network if the bits of the prefix are equal', () => {
  test('IPv4', () => {
    fc.assert(
      fc.property(v4, v4, fc.integer({ min: 0, max: 32 }), (address, network, length) => {
        const expected = bits(address, 8).slice(0, length) === bits(network, 8).slice(0, length);
        const networks = [cidr(`${dotted(network)}/${length}`)];
        expect(isInside(dotted(address), networks)).toBe(expected);
        // As a dual-stack socket shows it, and as people may write it.
        expect(isInside(`::ffff:${dotted(address)}`, networks)).toBe(expected);
        const mapped = [cidr(`::ffff:${dotted(network)}/${96 + length}`)];
        expect(isInside(dotted(address), mapped)).toBe(expected);
      }),
    );
  });

  test('IPv6', () => {
    const plain = v6.filter((words) => !coloned(words).startsWith('0:0:0:0:0:ffff:'));
    fc.assert(
      fc.property(plain, plain, fc.integer({ min: 0, max: 128 }), (address, network, length) => {
        const expected = bits(address, 16).slice(0, length) === bits(network, 16).slice(0, length);
        const networks = [cidr(`${coloned(network)}/${length}`)];
        expect(isInside(coloned(address), networks)).toBe(expected);
        expect(isInside(ipaddr.parse(coloned(address)).toString(), networks)).toBe(expected);
      }),
    );
  });

  test('a small IPv4 network contains its own addresses and none around it', () => {
    for (let length = 28; length <= 32; length++) {
      const size = 2 ** (32 - length);
      for (let last = 0; last < 64; last++) {
        const expected = last >= 32 && last < 32 + size;
        expect(isInside(`192.0.2.${last}`, [cidr(`192.0.2.32/${length}`)])).toBe(expected);
      }
    }
  });
});

test('a network of one family contains no address of the other', () => {
  expect(isInside('192.0.2.1', [cidr('::/0')])).toBe(false);
  expect(isInside('2001:db8::1', [cidr('0.0.0.0/0')])).toBe(false);
  expect(isInside('::c000:201', [cidr('192.0.2.1')])).toBe(false);
  expect(isInside('::fffe:0:1', [cidr('::ffff:192.0.2.1/80')])).toBe(true);
  expect(isInside('192.0.2.1', [cidr('::ffff:192.0.2.1/80')])).toBe(false);
});

test('an IPv6 address that ends in an IPv4 one is a different address, except with the mapped prefix', () => {
  expect(isInside('::192.0.2.1', [cidr('192.0.2.1')])).toBe(false);
  expect(isInside('192.0.2.1', [cidr('::192.0.2.1')])).toBe(false);
  expect(isInside('::c000:201', [cidr('::192.0.2.1')])).toBe(true);
  expect(plainAddress('::192.0.2.1')).toBe('::192.0.2.1');
});

test('a link-local address with a zone is inside its network', () => {
  expect(isInside('fe80::1%eth0', [cidr('fe80::/10')])).toBe(true);
  expect(isInside('fe80::1%eth0', [cidr('fe80::2')])).toBe(false);
});

test('text that is not an address is inside no network', () => {
  for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', '192.0.2.1/24', '::g', '1.2.3.4:80']) {
    expect(isInside(text, [cidr('0.0.0.0/0'), cidr('::/0')])).toBe(false);
  }
});

describe('a CIDR', () => {
  test('is any address with any valid prefix length', () => {
    fc.assert(
      fc.property(v4, fc.integer({ min: 0, max: 200 }), (address, length) => {
        const parsed = parseCidr(`${dotted(address)}/${length}`);
        if (length <= 32) expect(parsed?.[1]).toBe(length);
        else expect(parsed).toBeUndefined();
      }),
    );
    expect(parseCidr('192.0.2.1')?.[1]).toBe(32);
    expect(parseCidr('::1')?.[1]).toBe(128);
  });

  test('is undefined for any other text, without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const parsed = parseCidr(text);
        if (parsed) expect(ipaddr.isValid(text.split('/')[0] as string)).toBe(true);
      }),
    );
    for (const text of [
      '',
      '/8',
      '1/8',
      '010.0.0.1',
      '0x7f.1',
      '1.2.3.4/',
      '1.2.3.4/ 8',
      '1.2.3.4/+8',
      '1.2.3.4/8/8',
      'fe80::1%eth0/64',
      '::1/129',
      '::1/-1',
    ]) {
      expect(parseCidr(text)).toBeUndefined();
    }
  });
});

test('what only resembles a mapped address stays the address that it is', () => {
  expect(plainAddress('::ffff:1:192.0.2.1')).toBe('::ffff:1:c000:201');
  expect(plainAddress('::ffff:192.0.2.1%eth0')).toBe('::ffff:192.0.2.1%eth0');
});

test.each(['eth0', 'eth0.100', 'br-1a2b', 'wlan_0'])(
  'link-local callers on interface %s count as one neighbourhood',
  (zone) => {
    expect(neighbourhood(`fe80::1%${zone}`)).toBe(neighbourhood('fe80::2'));
  },
);

test.each([
  '127.0.0.1',
  '127.8.9.10',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  'localhost',
  'LOCALHOST',
])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  '0.0.0.0',
  '::',
  '128.0.0.1',
  '10.0.0.1',
  '::2',
  '127.1',
  'localhost.example.com',
  'bellhop.localdomain',
  '',
])('%j is not, or may not be', (host) => {
  expect(isLoopback(host)).toBe(false);
});
