/** Which address counts as the caller's, and which addresses a key may be used from. */
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { startBellhop, type TestKey } from '../testing/bellhop.ts';
import { expectRefusal } from './expect-refusal.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import { call, OVERVIEW_PATH } from './wire.ts';

const bellhop = sharedBellhop();
const sandbox = () => bellhop.addresses.sandbox;
const keyPath = ({ keyId }: TestKey) => `/support/v1/sandbox/keys/${keyId}`;

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

describe('the allow-list', () => {
  test.each([
    [['192.0.2.0/24'], '192.0.2.255', '192.0.3.0'],
    [['192.0.2.7'], '192.0.2.7', '192.0.2.8'],
    [['192.0.2.128/25', '198.51.100.1'], '198.51.100.1', '192.0.2.127'],
    [['0.0.0.0/0'], '203.0.113.9', '2001:db8::1'],
    [['2001:db8::/33'], '2001:db8:7fff::1', '2001:db8:8000::1'],
    [['2001:db8::1'], '2001:DB8:0::1', '2001:db8::2'],
    [['::/0'], '2001:db8::1', '192.0.2.1'],
    [['::ffff:192.0.2.0/120'], '192.0.2.9', '192.0.3.9'],
    [['192.0.2.0/24'], '::ffff:192.0.2.9', '::ffff:192.0.3.9'],
  ])('%j allows %s and refuses %s', async (allowed_ips, inside, outside) => {
    const key = await bellhop.newKey('sandbox', { allowed_ips });
    const from = (address: string) =>
      call(sandbox(), { ...key, headers: { 'x-forwarded-for': address } });
    expect((await from(inside)).status).toBe(200);
    expectRefusal(await from(outside), 403, 'not_allowed_host', {
      key_id: key.keyId,
      api_endpoint: OVERVIEW_PATH.slice(1),
      real_ip: outside.replace('::ffff:', ''),
    });
  });

  test('a change takes effect for a cached sign-in', async () => {
    const key = await bellhop.newKey('sandbox');
    expect((await call(sandbox(), key)).status).toBe(200);
    await bellhop.support('PATCH', keyPath(key), { allowed_ips: ['192.0.2.1'] });
    expect((await call(sandbox(), key)).status).toBe(403);
    await bellhop.support('PATCH', keyPath(key), { allowed_ips: null });
    expect((await call(sandbox(), key)).status).toBe(200);
  });

  test('is checked for every address, even after successful calls from another', async () => {
    const key = await bellhop.newKey('sandbox', { allowed_ips: ['127.0.0.1'] });
    expect((await call(sandbox(), key)).status).toBe(200);
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    expect((await call(sandbox(), { ...key, headers })).status).toBe(403);
  });
});

describe("the caller's address", () => {
  test('is the last address that is not a trusted proxy', async () => {
    const seenAs = async (forwardedFor: string) =>
      (await call(sandbox(), { headers: { 'x-forwarded-for': forwardedFor } })).json.debug.real_ip;
    expect(await seenAs('192.0.2.1')).toBe('192.0.2.1');
    expect(await seenAs('10.0.0.1, 192.0.2.1')).toBe('192.0.2.1');
    expect(await seenAs('192.0.2.1, 127.0.0.1')).toBe('192.0.2.1');
    expect(await seenAs('192.0.2.1,127.0.0.1,\t127.0.0.1')).toBe('192.0.2.1');
    expect(await seenAs('127.0.0.1')).toBe('127.0.0.1');
    expect(await seenAs('unknown')).toBe('127.0.0.1');
    expect(await seenAs('192.0.2.1, unknown')).toBe('127.0.0.1');
    expect(await seenAs('')).toBe('127.0.0.1');
  });

  test('is the peer if no proxy is trusted, whatever X-Forwarded-For says', async () => {
    const own = await startBellhop();
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' };
    const { json } = await call(own.addresses.sandbox, { headers });
    expect(json.debug.real_ip).toBe('127.0.0.1');
  });

  test.skipIf(!hasIpv6)('is plain IPv4 on a dual-stack socket', async () => {
    const own = await startBellhop({
      BELLHOP_HOST: '::',
      BELLHOP_ROLES: 'partner-api,back-office',
    });
    const port = new URL(own.addresses.sandbox).port;
    const v4 = await call(`http://127.0.0.1:${port}`);
    const v6 = await call(`http://[::1]:${port}`);
    expect([v4.json.debug.real_ip, v6.json.debug.real_ip]).toEqual(['127.0.0.1', '::1']);
    const onlyV4 = await own.newKey('sandbox', { allowed_ips: ['127.0.0.0/8'] });
    expect((await call(`http://127.0.0.1:${port}`, onlyV4)).status).toBe(200);
    expect((await call(`http://[::1]:${port}`, onlyV4)).status).toBe(403);
    const onlyV6 = await own.newKey('sandbox', { allowed_ips: ['::1/128'] });
    expect((await call(`http://127.0.0.1:${port}`, onlyV6)).status).toBe(403);
    expect((await call(`http://[::1]:${port}`, onlyV6)).status).toBe(200);
  });
});
