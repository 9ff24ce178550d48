import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { parseCidr } from '../base/addresses/addresses.ts';
import { judgeAddress } from './policy.ts';

/** First and last address of every block in IANA's registries that is not globally reachable. */
const BLOCKED = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.0', '127.255.255.255'],
  ['link-local, cloud metadata', '169.254.0.0', '169.254.169.254'],
  ['private', '172.16.0.0', '172.31.255.255'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255'],
  ['documentation', '192.0.2.0', '192.0.2.255'],
  ['6to4 relays', '192.88.99.0', '192.88.99.255'],
  ['private', '192.168.0.0', '192.168.255.255'],
  ['benchmarking', '198.18.0.0', '198.19.255.255'],
  ['documentation', '198.51.100.0', '198.51.100.255'],
  ['documentation', '203.0.113.0', '203.0.113.255'],
  ['multicast', '224.0.0.0', '239.255.255.255'],
  ['reserved, broadcast', '240.0.0.0', '255.255.255.255'],
  ['Azure metadata', '168.63.129.16', '168.63.129.16'],
  ['Alibaba metadata', '100.100.100.200', '100.100.100.200'],
  ['AWS metadata', 'fd00:ec2::254', 'fd00:ec2::254'],
  ['unspecified, loopback', '::', '::1'],
  ['IPv4-compatible', '::7f00:1', '::8.8.8.8'],
  ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:a00:1'],
  ['IPv4-translated', '::ffff:0:8.8.8.8', '::ffff:0:7f00:1'],
  ['NAT64 of private', '64:ff9b::10.0.0.1', '64:ff9b::169.254.169.254'],
  ['local NAT64', '64:ff9b:1::8.8.8.8', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard', '100::', '100::ffff:ffff:ffff:ffff'],
  ['dummy prefix', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['protocol assignments', '2001:1::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4 of private', '2002:a00:1::1', '2002:7f00:1::'],
  ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unassigned', '4000::1', 'e000::1'],
  ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const;

test.each(BLOCKED)('blocked: %s, %s to %s', (_, first, last) => {
  expect(judgeAddress(first, [])).toBe('blocked');
  expect(judgeAddress(last, [])).toBe('blocked');
});

test.each([
  '1.0.0.0',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700::1111',
  '2a00::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
])('public: %s', (address) => {
  expect(judgeAddress(address, [])).toBe('public');
});

test.each([
  '',
  'localhost',
  '127.1',
  '0177.0.0.1',
  '0x7f000001',
  '2130706433',
  '8.8.8.8 ',
  '[::1]',
])('blocked, because only the plain spelling is accepted: "%s"', (address) => {
  expect(judgeAddress(address, [])).toBe('blocked');
});

test('blocked: an address with a zone', () => {
  expect(judgeAddress('2606:4700::1111%eth0', [])).toBe('blocked');
});

describe('the allow-list', () => {
  const allow = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('fd00::/16')];

  test.each(['127.0.0.1', '::ffff:127.0.0.1', 'fd00::1'])('allows %s', (address) => {
    expect(judgeAddress(address, allow)).toBe('listed');
  });

  test('an IPv4 network written as IPv6 allows the same addresses', () => {
    const mapped = parseCidr('::ffff:127.0.0.0/104');
    expect(judgeAddress('127.0.0.1', mapped ? [mapped] : [])).toBe('listed');
    expect(judgeAddress('::ffff:127.0.0.1', mapped ? [mapped] : [])).toBe('listed');
  });

  test.each([
    '::1',
    '10.0.0.1',
    '126.0.0.0',
    'fd01::1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '2002:7f00:1::',
  ])('not %s', (address) => {
    expect(judgeAddress(address, allow)).not.toBe('listed');
  });

  test('allows a translated address only if its own network is listed', () => {
    const nat64 = [ipaddr.parseCIDR('64:ff9b::/96')];
    expect(judgeAddress('64:ff9b::127.0.0.1', nat64)).toBe('listed');
    expect(judgeAddress('127.0.0.1', nat64)).toBe('blocked');
  });
});

test('an IPv4 address is judged the same inside every IPv6 form', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const high = ((a << 8) | b).toString(16);
      const low = ((c << 8) | d).toString(16);
      const plain = judgeAddress(address, []);
      expect(judgeAddress(`::ffff:${address}`, [])).toBe(plain);
      expect(judgeAddress(`64:ff9b::${address}`, [])).toBe(plain);
      expect(judgeAddress(`2002:${high}:${low}::1`, [])).toBe(plain);
    }),
  );
});

test('never throws, for any text', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV6()), (text) => void judgeAddress(text, [])));
});
