/** Which credentials are valid, and until when. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { basic, type TestKey } from '../testing/bellhop.ts';
import { expectRefusal } from './expect-refusal.ts';
import { importInto } from './imported-files.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import { call, type Reply } from './wire.ts';

const bellhop = sharedBellhop();
const sandbox = () => bellhop.addresses.sandbox;
const keyPath = ({ keyId }: TestKey) => `/support/v1/sandbox/keys/${keyId}`;

/** Only an import may say that a key has expired. */
async function expire({ keyId }: TestKey): Promise<void> {
  const line = { kind: 'key', key_id: keyId, expires_at: '2026-01-01T00:00:00Z' };
  const reply = await importInto(bellhop, JSON.stringify(line), { environment: 'sandbox' });
  expect(reply).toMatchObject({ status: 200, body: { keys: { changed: 1 } } });
}

describe('401 incorrect_credentials', () => {
  test("unknown, wrong, revoked and expired keys and the other environment's keys look the same", async () => {
    const wrong = await bellhop.newKey('sandbox');
    const revoked = await bellhop.newKey('sandbox');
    const expired = await bellhop.newKey('sandbox');
    const rotated = await bellhop.newKey('sandbox');
    const production = await bellhop.newKey('production');
    expect((await bellhop.support('DELETE', keyPath(revoked))).status).toBe(204);
    await expire(expired);
    await bellhop.support('POST', `${keyPath(rotated)}/rotation`, { overlap_seconds: 0 });
    const credentials = {
      unknown: basic('1234567890', wrong.apiKey),
      empty: basic('', ''),
      wrong: basic(wrong.keyId, 'f47ac10b-58cc-4372-a567-0e02b2c3d479'),
      "another key's": basic(wrong.keyId, expired.apiKey),
      'right except for case': basic(wrong.keyId, wrong.apiKey.toUpperCase()),
      'with a suffix': basic(wrong.keyId, `${wrong.apiKey}:`),
      revoked: revoked.authorization,
      expired: expired.authorization,
      rotated: rotated.authorization,
      "the other environment's": production.authorization,
    };
    const headers = bellhop.fromNewAddress();
    const seen = new Map<string, string>();
    for (const [what, authorization] of Object.entries(credentials)) {
      const reply = await call(sandbox(), { authorization, headers });
      expectRefusal(reply, 401, 'incorrect_credentials', { real_ip: headers['x-forwarded-for'] });
      seen.set(what, withoutIdsAndTimes(reply));
    }
    expect(new Set(seen.values()).size, JSON.stringify([...seen], null, 2)).toBe(1);
  });

  test('a key works only in its own environment', async () => {
    const [inSandbox, inProduction] = [
      await bellhop.newKey('sandbox'),
      await bellhop.newKey('production'),
    ];
    const { addresses } = bellhop;
    const status = async (address: string, key: TestKey) =>
      (await call(address, { ...key, headers: bellhop.fromNewAddress() })).status;
    expect(await status(addresses.sandbox, inSandbox)).toBe(200);
    expect(await status(addresses.production, inProduction)).toBe(200);
    expect(await status(addresses.production, inSandbox)).toBe(401);
    expect(await status(addresses.sandbox, inProduction)).toBe(401);
  });

  test('a cached sign-in ends when the key is revoked', async () => {
    const key = await bellhop.newKey('sandbox');
    const headers = bellhop.fromNewAddress();
    expect((await call(sandbox(), { ...key, headers })).status).toBe(200);
    await bellhop.support('DELETE', keyPath(key));
    expect((await call(sandbox(), { ...key, headers })).status).toBe(401);
  });

  test('a cached sign-in ends exactly when the key expires', async () => {
    const expiresMs = Date.now() + 400;
    const key = await bellhop.newKey('sandbox', { expires_at: new Date(expiresMs).toISOString() });
    await liftLimit(key);
    const headers = bellhop.fromNewAddress();
    await endsAt(expiresMs, () => call(sandbox(), { ...key, headers }));
  });
});

describe('rotation', () => {
  test('overlapping keys all work, and count against one limit', async () => {
    const key = await bellhop.newKey('sandbox');
    const headers = bellhop.fromNewAddress();
    await call(sandbox(), { ...key, headers });
    const rotation = `${keyPath(key)}/rotation`;
    const { body } = await bellhop.support('POST', rotation, { overlap_seconds: 60 });
    expect(body.key_id).toBe(key.keyId);
    const authorization = basic(key.keyId, body.api_key);
    const again = await bellhop.support('POST', rotation, { overlap_seconds: 60 });
    const newest = basic(key.keyId, again.body.api_key);
    const replies = [
      await call(sandbox(), { authorization, headers }),
      await call(sandbox(), { ...key, headers }),
      await call(sandbox(), { authorization: newest, headers }),
    ];
    expect(replies.map((reply) => reply.headers['x-ratelimit-remaining'])).toEqual([
      '98',
      '97',
      '96',
    ]);
  });

  test('the old key ends exactly with the overlap', async () => {
    const key = await bellhop.newKey('sandbox');
    await liftLimit(key);
    const headers = bellhop.fromNewAddress();
    await call(sandbox(), { ...key, headers });
    const rotation = `${keyPath(key)}/rotation`;
    const { body } = await bellhop.support('POST', rotation, { overlap_seconds: 1 });
    await endsAt(Date.parse(body.previous_key_valid_until), () =>
      call(sandbox(), { ...key, headers }),
    );
    const authorization = basic(key.keyId, body.api_key);
    expect((await call(sandbox(), { authorization, headers })).status).toBe(200);
  });

  test('each old key ends with its own overlap, even if the key is rotated again', async () => {
    const key = await bellhop.newKey('sandbox');
    await liftLimit(key);
    const headers = bellhop.fromNewAddress();
    const rotate = async (overlap_seconds: number) =>
      (await bellhop.support('POST', `${keyPath(key)}/rotation`, { overlap_seconds })).body;
    const second = basic(key.keyId, (await rotate(2)).api_key);
    const { overlap_ends } = await rotate(60);
    await endsAt(Date.parse(overlap_ends[1]), () => call(sandbox(), { ...key, headers }));
    expect((await call(sandbox(), { authorization: second, headers })).status).toBe(200);
  });

  test('without an overlap, the old key ends at once', async () => {
    const key = await bellhop.newKey('sandbox');
    const headers = bellhop.fromNewAddress();
    expect((await call(sandbox(), { ...key, headers })).status).toBe(200);
    await bellhop.support('POST', `${keyPath(key)}/rotation`, { overlap_seconds: 0 });
    expect((await call(sandbox(), { ...key, headers })).status).toBe(401);
  });

  test('a second rotation keeps the first overlap, and expiry ends all keys', async () => {
    const key = await bellhop.newKey('sandbox');
    const headers = bellhop.fromNewAddress();
    const rotate = async () => {
      const { body } = await bellhop.support('POST', `${keyPath(key)}/rotation`, {});
      return basic(key.keyId, body.api_key);
    };
    const authorizations = [key.authorization, await rotate(), await rotate()];
    const statuses = async () => {
      const replies: Reply[] = [];
      for (const authorization of authorizations) {
        replies.push(await call(sandbox(), { authorization, headers }));
      }
      return replies.map((reply) => reply.status);
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    await expire(key);
    expect(await statuses()).toEqual([401, 401, 401]);
  });
});

describe('429 too_many_failed_logins', () => {
  test('20 successive failures get 401; further sign-ins get 429', async () => {
    const headers = bellhop.fromNewAddress();
    const authorization = basic('1', '2');
    for (let i = 0; i < 20; i++) {
      expect((await call(sandbox(), { authorization, headers })).status).toBe(401);
    }
    const reply = await call(sandbox(), { authorization, headers });
    expectRefusal(reply, 429, 'too_many_failed_logins', { real_ip: headers['x-forwarded-for'] });
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  test('of 50 concurrent failures, exactly 20 get 401', async () => {
    const headers = bellhop.fromNewAddress();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        call(sandbox(), { authorization: basic('1', `${i}`), headers }),
      ),
    );
    const codes = replies.map((reply) => reply.json.error.code).sort();
    expect(codes).toEqual([
      ...Array(20).fill('incorrect_credentials'),
      ...Array(30).fill('too_many_failed_logins'),
    ]);
  });

  test('callers that had signed in from that address keep working; others get 429', async () => {
    const [known, unknown] = [await bellhop.newKey('sandbox'), await bellhop.newKey('sandbox')];
    const headers = bellhop.fromNewAddress();
    expect((await call(sandbox(), { ...known, headers })).status).toBe(200);
    const authorization = basic('1', '2');
    await Promise.all(
      Array.from({ length: 25 }, () => call(sandbox(), { authorization, headers })),
    );
    expect((await call(sandbox(), { ...known, headers })).status).toBe(200);
    expect((await call(sandbox(), { ...unknown, headers })).status).toBe(429);
    const elsewhere = bellhop.fromNewAddress();
    expect((await call(sandbox(), { ...unknown, headers: elsewhere })).status).toBe(200);
  });

  test('successes and headers without credentials do not count as failures', async () => {
    const key = await bellhop.newKey('sandbox');
    const headers = bellhop.fromNewAddress();
    for (let i = 0; i < 21; i++) {
      await call(sandbox(), { headers });
      await call(sandbox(), { authorization: 'Bearer x', headers });
      await call(sandbox(), { ...key, headers });
    }
    const reply = await call(sandbox(), { authorization: basic('1', '2'), headers });
    expect(reply.json.error.code).toBe('incorrect_credentials');
  });
});

async function liftLimit(key: TestKey): Promise<void> {
  const grant = { endpoint: 'api/b2b/v3/overview/', is_limited: false };
  expect((await bellhop.support('PUT', `${keyPath(key)}/endpoints`, grant)).status).toBe(200);
}

/** Calls until it is refused. Calls sent after `endMs` must be refused, calls answered before it must not. */
async function endsAt(endMs: number, send: () => Promise<Reply>): Promise<void> {
  for (;;) {
    const sentMs = Date.now();
    const { status } = await send();
    const receivedMs = Date.now();
    expect([200, 401]).toContain(status);
    if (status === 200) expect(sentMs).toBeLessThan(endMs);
    else {
      expect(receivedMs).toBeGreaterThanOrEqual(endMs);
      return;
    }
    await nextTurn();
  }
}

function withoutIdsAndTimes(reply: Reply): string {
  return [...reply.rawHeaders, reply.text]
    .join('\n')
    .replaceAll(reply.headers['x-request-id'] as string, '<id>')
    .replace(reply.headers.date as string, '<date>')
    .replace(reply.json.debug.utcnow, '<utcnow>');
}
