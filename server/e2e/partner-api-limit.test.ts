/** The limit of a key and endpoint, and where its check comes among the others. */
import { describe, expect, test } from 'vitest';
import { basic, type TestKey } from '../testing/bellhop.ts';
import { expectRefusal } from './expect-refusal.ts';
import {
  changeGrant,
  changeKey,
  expectLimit,
  FORWARDED,
  OVERVIEW,
  resetOf,
  used,
} from './limited-keys.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import { call, FORWARDED_PATH, OVERVIEW_PATH } from './wire.ts';

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

/** Lowers the limit of overview/ to one call a day, and uses that call. */
async function exhaust(key: TestKey): Promise<void> {
  await changeGrant(bellhop, key, {
    endpoint: OVERVIEW,
    requests_number: 1,
    seconds_number: 86_400,
  });
  expect((await call(sandbox(), { authorization: key.authorization })).status).toBe(200);
}

describe('limit', () => {
  test('429 endpoint_exceeded_limit once it is used up; refused calls do not count', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeGrant(bellhop, key, {
      endpoint: OVERVIEW,
      requests_number: 2,
      seconds_number: 3_600,
    });
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
    expect(await used(bellhop, key, OVERVIEW)).toBe(2);
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
    await changeGrant(bellhop, key, {
      endpoint: OVERVIEW,
      requests_number: 7,
      seconds_number: 600,
    });
    const replies = await Promise.all(Array.from({ length: 60 }, () => call(sandbox(), key)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(7);
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(53);
  });

  test('counts earlier calls after it is lowered', async () => {
    const key = await bellhop.newKey('sandbox');
    for (let i = 0; i < 3; i++) await call(sandbox(), key);
    await changeGrant(bellhop, key, { endpoint: OVERVIEW, requests_number: 3 });
    expectLimit(await call(sandbox(), key), { requests: 3, seconds: 86_400, remaining: 0 });
    await changeGrant(bellhop, key, { endpoint: OVERVIEW, requests_number: 4 });
    expect((await call(sandbox(), key)).status).toBe(200);
    expect((await call(sandbox(), key)).status).toBe(429);
  });

  test('has no headers on an endpoint without a limit', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeGrant(bellhop, key, { endpoint: OVERVIEW, is_limited: false, requests_number: 1 });
    for (let i = 0; i < 3; i++) {
      const reply = await call(sandbox(), key);
      expect(reply.status).toBe(200);
      for (const name of RATE_LIMIT_HEADERS) expect(reply.headers[name]).toBeUndefined();
    }
    expect(await used(bellhop, key, OVERVIEW)).toBe(0);
  });
});

describe('order of the checks', () => {
  test('wrong credentials before a disabled key', async () => {
    const key = await bellhop.newKey('sandbox');
    await changeKey(bellhop, key, { disabled: true });
    const authorization = basic(key.keyId, 'wrong');
    const reply = await call(sandbox(), { authorization, headers: bellhop.fromNewAddress() });
    expect(reply.json.error.code).toBe('incorrect_credentials');
  });

  test('a disabled key before the allow-list, and the allow-list before the path', async () => {
    const key = await bellhop.newKey('sandbox', { allowed_ips: ['192.0.2.1'] });
    await changeKey(bellhop, key, { disabled: true });
    expect((await call(sandbox(), { ...key, path: '/x' })).json.error.code).toBe(
      'api_access_disabled',
    );
    await changeKey(bellhop, key, { disabled: false });
    expect((await call(sandbox(), { ...key, path: '/x' })).json.error.code).toBe(
      'not_allowed_host',
    );
  });

  test('the endpoint before its activity, and activity before limit and method', async () => {
    const inactive = 'api/b2b/v3/hotel/static/';
    const key = await bellhop.newKey('sandbox', { endpoints: [OVERVIEW, inactive] });
    await exhaust(key);
    await changeGrant(bellhop, key, { endpoint: inactive, is_active: false });
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
    await changeGrant(bellhop, key, {
      endpoint: FORWARDED,
      requests_number: 1,
      seconds_number: 3_600,
    });
    const reply = await call(sandbox(), { ...key, path: FORWARDED_PATH });
    expect(reply.json.error.code).toBe('upstream_not_configured');
    const second = await call(sandbox(), { ...key, path: FORWARDED_PATH });
    expect(second.json.error.code).toBe('endpoint_exceeded_limit');
  });
});
