/** Every refusal of the partner API, and the order of the checks. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { freePort, temporaryFolder } from '../../test/support.ts';
import { basic, startBellhop, type TestKey } from '../testing/bellhop.ts';
import { expectRefusal } from './expect-refusal.ts';
import { sharedBellhop } from './shared-bellhop.ts';
import { call, FORWARDED_PATH, OVERVIEW_PATH, type Reply } from './wire.ts';

const OVERVIEW = 'api/b2b/v3/overview/';
const FORWARDED = 'api/b2b/v3/hotel/info/';
const RATE_LIMIT_HEADERS = [
  'x-ratelimit-requestsnumber',
  'x-ratelimit-secondsnumber',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
];

const bellhop = sharedBellhop();
const sandbox = () => bellhop.addresses.sandbox;

async function changeGrant({ keyId }: TestKey, grant: object): Promise<void> {
  const path = `/support/v1/sandbox/keys/${keyId}/endpoints`;
  expect((await bellhop.support('PUT', path, grant)).status).toBe(200);
}

async function changeKey({ keyId }: TestKey, change: object): Promise<void> {
  expect((await bellhop.support('PATCH', `/support/v1/sandbox/keys/${keyId}`, change)).status).toBe(
    200,
  );
}

async function used({ keyId }: TestKey, endpoint: string): Promise<number> {
  const { body } = await bellhop.support('GET', `/support/v1/sandbox/keys/${keyId}/usage`);
  return body.items.find((item: { endpoint: string }) => item.endpoint === endpoint).used;
}

/** Lowers the limit of overview/ to one call a day, and uses that call. */
async function exhaust(key: TestKey): Promise<void> {
  await changeGrant(key, { endpoint: OVERVIEW, requests_number: 1, seconds_number: 86_400 });
  expect((await call(sandbox(), { authorization: key.authorization })).status).toBe(200);
}

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
    await changeKey(key, { disabled: true });
    expectRefusal(await call(sandbox(), key), 403, 'api_access_disabled', { key_id: key.keyId });
    await changeKey(key, { disabled: false });
    expect((await call(sandbox(), key)).status).toBe(200);
    expect(await used(key, OVERVIEW)).toBe(2);
  });

  test('403 api_access_disabled while the partner is suspended', async () => {
    const key = await bellhop.newKey('sandbox');
    expect((await call(sandbox(), key)).status).toBe(200);
    const partner = `/support/v1/sandbox/partners/${key.partnerId}`;
    await bellhop.support('PATCH', partner, { suspended: true });
    expectRefusal(await call(sandbox(), key), 403, 'api_access_disabled', { key_id: key.keyId });
    await bellhop.support('PATCH', partner, { suspended: false });
    expect((await call(sandbox(), key)).status).toBe(200);
    expect(await used(key, OVERVIEW)).toBe(2);
  });

  test('403 not_allowed_host for an address that is not on the allow-list', async () => {
    const key = await bellhop.newKey('sandbox', { allowed_ips: ['192.0.2.0/24'] });
    const reply = await call(sandbox(), key);
    expectRefusal(reply, 403, 'not_allowed_host', { key_id: key.keyId, real_ip: '127.0.0.1' });
    expect(await used(key, OVERVIEW)).toBe(0);
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
    await changeGrant(key, { endpoint: FORWARDED, is_active: false });
    const reply = await call(sandbox(), { ...key, path: FORWARDED_PATH });
    expectRefusal(reply, 403, 'endpoint_not_active', {
      key_id: key.keyId,
      api_endpoint: FORWARDED,
    });
    expect(reply.headers['x-ratelimit-remaining']).toBe('30');
    expect(await used(key, FORWARDED)).toBe(0);
  });

  test.each(['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
    '405 unexpected_method for %s',
    async (method) => {
      const key = await bellhop.newKey('sandbox');
      const reply = await call(sandbox(), { ...key, method });
      expectRefusal(reply, 405, 'unexpected_method', { key_id: key.keyId, api_endpoint: OVERVIEW });
      expect(reply.headers['x-ratelimit-remaining']).toBe('100');
      expect(await used(key, OVERVIEW)).toBe(0);
    },
  );
});

describe('limit', () => {
  test('429 endpoint_exceeded_limit once it is used up; refused calls do not count', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeGrant(key, { endpoint: OVERVIEW, requests_number: 2, seconds_number: 3_600 });
    const first = await call(sandbox(), key);
    const second = await call(sandbox(), key);
    expect([first, second].map((reply) => reply.headers['x-ratelimit-remaining'])).toEqual([
      '1',
      '0',
    ]);
    for (let i = 0; i < 3; i++) {
      const reply = await call(sandbox(), key);
      expectRefusal(reply, 429, 'endpoint_exceeded_limit', {
        key_id: key.keyId,
        api_endpoint: OVERVIEW,
      });
      expectLimit(reply, { requests: 2, seconds: 3_600, remaining: 0 });
      expect(Math.abs(resetOf(reply) - resetOf(first))).toBeLessThanOrEqual(1_000);
      const retryAfter = Number(reply.headers['retry-after']);
      expect(retryAfter).toBeGreaterThan(3_600 - 60);
      expect(retryAfter).toBeLessThanOrEqual(3_600);
    }
    expect(await used(key, OVERVIEW)).toBe(2);
  });

  test('applies to each key and endpoint separately', async () => {
    const key = await bellhop.newKey('sandbox');
    const other = await bellhop.newKey('sandbox');
    await exhaust(key);
    expect((await call(sandbox(), key)).status).toBe(429);
    expect((await call(sandbox(), other)).status).toBe(200);
    expect((await call(sandbox(), { ...key, path: FORWARDED_PATH })).status).toBe(501);
  });

  test('counts GET, HEAD and POST, with and without the slash, together', async () => {
    const key = await bellhop.newKey('sandbox');
    const remaining: unknown[] = [];
    for (const method of ['GET', 'HEAD', 'POST']) {
      for (const path of [OVERVIEW_PATH, OVERVIEW_PATH.slice(0, -1)]) {
        const reply = await call(sandbox(), { ...key, method, path });
        remaining.push(reply.headers['x-ratelimit-remaining']);
      }
    }
    expect(remaining).toEqual(['99', '98', '97', '96', '95', '94']);
  });

  test('admits exactly its number of many concurrent calls', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeGrant(key, { endpoint: OVERVIEW, requests_number: 7, seconds_number: 600 });
    const replies = await Promise.all(Array.from({ length: 60 }, () => call(sandbox(), key)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(7);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(53);
  });

  test('counts earlier calls after it is lowered', async () => {
    const key = await bellhop.newKey('sandbox');
    for (let i = 0; i < 3; i++) await call(sandbox(), key);
    await changeGrant(key, { endpoint: OVERVIEW, requests_number: 3 });
    expectLimit(await call(sandbox(), key), { requests: 3, seconds: 86_400, remaining: 0 });
    await changeGrant(key, { endpoint: OVERVIEW, requests_number: 4 });
    expect((await call(sandbox(), key)).status).toBe(200);
    expect((await call(sandbox(), key)).status).toBe(429);
  });

  test('has no headers on an endpoint without a limit', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeGrant(key, { endpoint: OVERVIEW, is_limited: false, requests_number: 1 });
    for (let i = 0; i < 3; i++) {
      const reply = await call(sandbox(), key);
      expect(reply.status).toBe(200);
      for (const name of RATE_LIMIT_HEADERS) expect(reply.headers[name]).toBeUndefined();
    }
    expect(await used(key, OVERVIEW)).toBe(0);
  });
});

describe('order of the checks', () => {
  test('wrong credentials before a disabled key', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeKey(key, { disabled: true });
    const authorization = basic(key.keyId, 'wrong');
    const reply = await call(sandbox(), { authorization, headers: bellhop.fromNewAddress() });
    expect(reply.json.error.code).toBe('incorrect_credentials');
  });

  test('a disabled key before the allow-list, and the allow-list before the path', async () => {
    const key = await bellhop.newKey('sandbox', { allowed_ips: ['192.0.2.1'] });
    await changeKey(key, { disabled: true });
    expect((await call(sandbox(), { ...key, path: '/x' })).json.error.code).toBe(
      'api_access_disabled',
    );
    await changeKey(key, { disabled: false });
    expect((await call(sandbox(), { ...key, path: '/x' })).json.error.code).toBe(
      'not_allowed_host',
    );
  });

  test('the endpoint before its activity, and activity before limit and method', async () => {
    const inactive = 'api/b2b/v3/hotel/static/';
    const key = await bellhop.newKey('sandbox', { endpoints: [OVERVIEW, inactive] });
    await exhaust(key);
    await changeGrant(key, { endpoint: inactive, is_active: false });
    const outcomes: unknown[] = [];
    for (const [path, method] of [
      ['/x', 'DELETE'],
      [FORWARDED_PATH, 'DELETE'],
      [`/${inactive}`, 'DELETE'],
      [`/${inactive}`, 'GET'],
    ] as const) {
      const { status, json } = await call(sandbox(), { ...key, path, method });
      outcomes.push([status, json.error?.code]);
    }
    expect(outcomes).toEqual([
      [404, 'endpoint_not_found'],
      [403, 'endpoint_not_found'],
      [403, 'endpoint_not_active'],
      [403, 'endpoint_not_active'],
    ]);
  });

  test('the limit before the upstream', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeGrant(key, { endpoint: FORWARDED, requests_number: 1, seconds_number: 3_600 });
    const reply = await call(sandbox(), { ...key, path: FORWARDED_PATH });
    expect(reply.json.error.code).toBe('upstream_not_configured');
    const second = await call(sandbox(), { ...key, path: FORWARDED_PATH });
    expect(second.json.error.code).toBe('endpoint_exceeded_limit');
  });
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
  const database = new DatabaseSync(join(folder, 'sandbox', 'bellhop.db'));
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

function resetOf(reply: Reply): number {
  return Date.parse(`${reply.headers['x-ratelimit-reset']}Z`);
}

function expectLimit(
  reply: Reply,
  limit: { requests: number; seconds: number; remaining: number },
): void {
  const { requests, seconds, remaining } = limit;
  const reset = reply.headers['x-ratelimit-reset'] as string;
  expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  const resetInSeconds = (resetOf(reply) - Date.now()) / 1_000;
  expect(resetInSeconds).toBeLessThanOrEqual(seconds + 1);
  expect(resetInSeconds).toBeGreaterThan(seconds - 60);
  expect(reply.headers).toMatchObject({
    'x-ratelimit-requestsnumber': String(requests),
    'x-ratelimit-secondsnumber': String(seconds),
    'x-ratelimit-remaining': String(remaining),
    'ratelimit-policy': `"endpoint";q=${requests};w=${seconds}`,
    ratelimit: expect.stringMatching(new RegExp(`^"endpoint";r=${remaining};t=\\d+$`)),
  });
}
