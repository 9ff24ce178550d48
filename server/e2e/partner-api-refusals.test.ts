/** Every refusal of the partner API except over the limit: see partner-api-limit.test.ts. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { freePort, temporaryFolder } from '../../test/support.ts';
import { basic, startBellhop } from '../testing/bellhop.ts';
import { expectRefusal } from './expect-refusal.ts';
import { changeGrant, changeKey, expectLimit, FORWARDED, OVERVIEW, used } from './limited-keys.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import { call, FORWARDED_PATH } from './wire.ts';

const bellhop = sharedBellhop();
const sandbox = () => bellhop.addresses.sandbox;

describe('sign-in', () => {
  test('401 no_auth_header without an Authorization header', async () => {
    const reply = await call(sandbox());
    expectRefusal(reply, 401, 'no_auth_header', { real_ip: '127.0.0.1' });
  });

  test.each([
    ['another scheme', 'Bearer abcdef'],
    ['a scheme alone', 'Basic'],
    ['nothing after the scheme', 'Basic '],
    ['text that is not base64', 'Basic a:b'],
    ['base64url', `Basic ${Buffer.from('1:ÿþ??>>').toString('base64url')}`],
    [
      'base64 without its padding',
      `Basic ${Buffer.from('12:3').toString('base64').replace(/=+$/, '')}`,
    ],
    ['text after the credentials', `${basic('1', '2')} x`],
    ['credentials without a colon', `Basic ${Buffer.from('12345678').toString('base64')}`],
    ['a control character', basic('1', '2\u0007')],
    ['a NUL', basic('1\u0000', '2')],
    ['a line feed', basic('1', '2\n')],
    ['a C1 control character', basic('1', '2\u0085')],
    ['bytes that are not UTF-8', `Basic ${Buffer.from([0x31, 0x3a, 0xff]).toString('base64')}`],
    ['more than 1 KiB', basic('1', 'x'.repeat(800))],
  ])('401 invalid_auth_header for %s', async (_what, authorization) => {
    const reply = await call(sandbox(), { authorization });
    expectRefusal(reply, 401, 'invalid_auth_header');
  });

  test('401 incorrect_credentials for an unknown key id', async () => {
    const headers = bellhop.fromNewAddress();
    const reply = await call(sandbox(), { authorization: basic('1', '2'), headers });
    expectRefusal(reply, 401, 'incorrect_credentials', { real_ip: headers['x-forwarded-for'] });
  });
});

describe('key', () => {
  test('403 api_access_disabled for a disabled key', async () => {
    const key = await bellhop.newKey('sandbox');
    expect((await call(sandbox(), key)).status).toBe(200);
    await changeKey(bellhop, key, { disabled: true });
    expectRefusal(await call(sandbox(), key), 403, 'api_access_disabled', {
      key_id: key.keyId,
      api_endpoint: OVERVIEW,
    });
    await changeKey(bellhop, key, { disabled: false });
    expect((await call(sandbox(), key)).status).toBe(200);
    expect(await used(bellhop, key, OVERVIEW)).toBe(2);
  });

  test('403 api_access_disabled while the partner is suspended', async () => {
    const key = await bellhop.newKey('sandbox');
    expect((await call(sandbox(), key)).status).toBe(200);
    const partner = `/support/v1/sandbox/partners/${key.partnerId}`;
    await bellhop.support('PATCH', partner, { suspended: true });
    expectRefusal(await call(sandbox(), key), 403, 'api_access_disabled', {
      key_id: key.keyId,
      api_endpoint: OVERVIEW,
    });
    await bellhop.support('PATCH', partner, { suspended: false });
    expect((await call(sandbox(), key)).status).toBe(200);
    expect(await used(bellhop, key, OVERVIEW)).toBe(2);
  });

  test('403 not_allowed_host for an address that is not on the allow-list', async () => {
    const key = await bellhop.newKey('sandbox', { allowed_ips: ['192.0.2.0/24'] });
    const reply = await call(sandbox(), key);
    expectRefusal(reply, 403, 'not_allowed_host', {
      key_id: key.keyId,
      real_ip: '127.0.0.1',
      api_endpoint: OVERVIEW,
    });
    const nowhere = await call(sandbox(), { ...key, path: '/api/b2b/v3/none/' });
    expectRefusal(nowhere, 403, 'not_allowed_host', { key_id: key.keyId });
    expect(await used(bellhop, key, OVERVIEW)).toBe(0);
  });
});

describe('endpoint', () => {
  test.each([
    '/',
    '/api/b2b/v3/',
    '/api/b2b/v3/nothing/',
    '/api/b2b/v2/overview/',
    '/api/b2b/v3/Overview/',
    '/api/b2b/v3/overview//',
    '/api/b2b/v3//overview/',
    '/api/b2b/v3/x/../overview/',
    '/api/b2b/v3/over%76iew/',
    '/api/b2b/v3/overview/extra',
    '/api/b2b/v3/overview/;x=1',
    '/?/api/b2b/v3/overview/',
  ])('404 endpoint_not_found at %s', async (path) => {
    const key = await bellhop.newKey('sandbox');
    const reply = await call(sandbox(), { ...key, path });
    expectRefusal(reply, 404, 'endpoint_not_found', { key_id: key.keyId });
  });

  test('403 endpoint_not_found for an endpoint that is not granted', async () => {
    const key = await bellhop.newKey('sandbox', { endpoints: [OVERVIEW] });
    const reply = await call(sandbox(), { ...key, path: FORWARDED_PATH });
    expectRefusal(reply, 403, 'endpoint_not_found', {
      key_id: key.keyId,
      api_endpoint: FORWARDED,
    });
  });

  test('403 endpoint_not_active for an inactive endpoint, with the current limit', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeGrant(bellhop, key, { endpoint: FORWARDED, is_active: false });
    const reply = await call(sandbox(), { ...key, path: FORWARDED_PATH });
    expectRefusal(reply, 403, 'endpoint_not_active', {
      key_id: key.keyId,
      api_endpoint: FORWARDED,
    });
    expect(reply.headers['x-ratelimit-remaining']).toBe('30');
    expect(await used(bellhop, key, FORWARDED)).toBe(0);
  });

  test.each(['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
    '405 unexpected_method for %s',
    async (method) => {
      const key = await bellhop.newKey('sandbox');
      const reply = await call(sandbox(), { ...key, method });
      expectRefusal(reply, 405, 'unexpected_method', { key_id: key.keyId, api_endpoint: OVERVIEW });
      expect(reply.headers['x-ratelimit-remaining']).toBe('100');
      expect(await used(bellhop, key, OVERVIEW)).toBe(0);
    },
  );
});

describe('upstream', () => {
  test('501 upstream_not_configured if none is set', async () => {
    const key = await bellhop.newKey('sandbox');
    const reply = await call(sandbox(), { ...key, path: FORWARDED_PATH });
    expectRefusal(reply, 501, 'upstream_not_configured', {
      key_id: key.keyId,
      api_endpoint: FORWARDED,
    });
    expectLimit(reply, { requests: 30, seconds: 60, remaining: 29 });
  });

  test('502 upstream_unreachable if nothing listens', async () => {
    const own = await startBellhop({
      BELLHOP_SANDBOX_UPSTREAM_URL: `http://127.0.0.1:${await freePort()}`,
    });
    const key = await own.newKey('sandbox');
    const reply = await call(own.addresses.sandbox, { ...key, path: FORWARDED_PATH });
    expectRefusal(reply, 502, 'upstream_unreachable', {
      key_id: key.keyId,
      api_endpoint: FORWARDED,
    });
    expectLimit(reply, { requests: 30, seconds: 60, remaining: 29 });
  });
});

test('500 unknown, with debug null, for an error on our side', async () => {
  const folder = await temporaryFolder();
  const own = await startBellhop({ BELLHOP_DATA_DIR: folder });
  const key = await own.newKey('sandbox');
  const database = new DatabaseSync(join(folder, 'sandbox', 'bellhop.db'), { timeout: 10_000 });
  database.exec('alter table api_key rename to lost');
  database.close();
  const reply = await call(own.addresses.sandbox, key);
  expect(reply.status).toBe(500);
  expect(reply.text).toBe(
    '{"data":[],"debug":null,"error":{"code":"unknown","message":"An error in the service itself. Try again later. If the error persists, send the X-Request-Id to API support."},"status":"error"}',
  );
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
});

test('a refusal of a HEAD request has the headers and no body', async () => {
  const get = await call(sandbox(), { method: 'GET' });
  const head = await call(sandbox(), { method: 'HEAD' });
  expect(head.status).toBe(401);
  expect(head.body).toHaveLength(0);
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect(head.headers['content-type']).toBe('application/json');
  expect(head.headers['www-authenticate']).toBe(get.headers['www-authenticate']);
});
