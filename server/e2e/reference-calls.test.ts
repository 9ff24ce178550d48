/** Calls that the API reference makes from a browser: allowed in the sandbox, for pages of this service. */
import { expect, test } from 'vitest';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import { call } from './wire.ts';

const OFFICE = 'https://office.example';
const bellhop = sharedBellhop(() => ({ BELLHOP_BACK_OFFICE_URL: OFFICE }));
const asks = {
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization',
};
const preflight = (address: string, origin: string) =>
  call(address, { method: 'OPTIONS', headers: { origin, ...asks } });

test('the pages of this service may call the sandbox, and read the limits', async () => {
  const { sandbox, backOffice } = bellhop.addresses;
  const { authorization } = await bellhop.newKey('sandbox');
  for (const origin of [backOffice, OFFICE]) {
    const allowed = await preflight(sandbox, origin);
    expect([allowed.status, allowed.text]).toEqual([204, '']);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': 'authorization, content-type, x-debug-mode',
      vary: 'Origin',
    });
    expect(allowed.headers).not.toHaveProperty('access-control-allow-credentials');
    const reply = await call(sandbox, { authorization, headers: { origin } });
    expect([reply.status, reply.json.status]).toEqual([200, 'ok']);
    expect(reply.headers['access-control-allow-origin']).toBe(origin);
    expect(reply.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining');
    const refused = await call(sandbox, { headers: { origin } });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, origin]);
  }
});

test('pages of others may not, and nobody in production', async () => {
  const { sandbox, production, backOffice } = bellhop.addresses;
  for (const [address, origin] of [
    [sandbox, 'https://elsewhere.example'],
    [sandbox, 'null'],
    [sandbox, 'not an origin'],
    [production, backOffice],
    [production, OFFICE],
  ] as const) {
    const reply = await preflight(address, origin);
    expect([origin, reply.status]).toEqual([origin, 401]);
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
  }
});

test('a question with a body, or without a method, is a call like any other', async () => {
  const { sandbox, backOffice } = bellhop.addresses;
  const headers = { origin: backOffice };
  expect((await call(sandbox, { method: 'OPTIONS', headers })).status).toBe(401);
  const body = await call(sandbox, {
    method: 'OPTIONS',
    headers: { ...headers, ...asks, 'content-length': '1' },
    body: 'x',
  });
  expect(body.status).toBe(401);
});
