/** The one endpoint that Bellhop answers itself. */
import { describe, expect, test } from 'vitest';
import type { TestKey } from '../testing/bellhop.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import { specifiedEndpoints } from './specified-endpoints.ts';
import { call, head, OVERVIEW_PATH, openWire } from './wire.ts';

const OVERVIEW = 'api/b2b/v3/overview/';
const HP = 'api/b2b/v3/search/hp/';
const GEO = 'api/b2b/v3/search/serp/geo/';

const bellhop = sharedBellhop();
const sandbox = () => bellhop.addresses.sandbox;
const endpointsOf = (key: TestKey) => `/support/v1/sandbox/keys/${key.keyId}/endpoints`;

describe('200', () => {
  test.each(['production', 'sandbox'] as const)(
    "a new key of %s gets the specification's listing, byte for byte",
    async (environment) => {
      const key = await bellhop.newKey(environment);
      const reply = await call(bellhop.addresses[environment], key);
      expect(reply.status).toBe(200);
      expect(reply.json.data).toHaveLength(43);
      for (const [place, entry] of specifiedEndpoints.entries()) {
        // Compared as text, because the order of the fields matters.
        expect(JSON.stringify(reply.json.data[place])).toBe(JSON.stringify(entry));
      }
      expect(reply.text).toBe(
        JSON.stringify({ data: specifiedEndpoints, debug: null, error: null, status: 'ok' }),
      );
      expect(reply.headers['content-type']).toBe('application/json');
      expect(reply.headers['content-length']).toBe(String(reply.body.length));
      expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    },
  );

  test('each reply has a unique request id', async () => {
    const key = await bellhop.newKey('sandbox');
    const replies = await Promise.all(Array.from({ length: 20 }, () => call(sandbox(), key)));
    expect(new Set(replies.map((reply) => reply.headers['x-request-id'])).size).toBe(20);
  });

  test('a request id sent by the caller is ignored', async () => {
    const key = await bellhop.newKey('sandbox');
    const reply = await call(sandbox(), { ...key, headers: { 'x-request-id': 'a'.repeat(32) } });
    expect(reply.headers['x-request-id']).not.toBe('a'.repeat(32));
  });

  test.each([
    ['POST without a body', { method: 'POST' }],
    ['POST with a body', { method: 'POST', body: '{"any":"thing"}' }],
    ['GET with a body', { method: 'GET', body: 'x', headers: { 'content-length': '1' } }],
    ['no trailing slash', { path: OVERVIEW_PATH.slice(0, -1) }],
    ['a query, which is ignored', { path: `${OVERVIEW_PATH}?data=%7B%7D&x=/../?` }],
    ['a query without the slash', { path: `${OVERVIEW_PATH.slice(0, -1)}?` }],
    ['a target with an origin', { path: `http://bellhop.test${OVERVIEW_PATH}` }],
    ['an origin with a port, in capitals', { path: `HTTP://BELLHOP.test:99${OVERVIEW_PATH}?q` }],
    ['an https origin', { path: `https://bellhop.test${OVERVIEW_PATH}` }],
  ])('answers %s', async (_what, options) => {
    const key = await bellhop.newKey('sandbox');
    const reply = await call(sandbox(), { ...key, ...options });
    expect([reply.status, reply.json.data]).toEqual([200, specifiedEndpoints]);
  });

  test('HEAD has the headers of GET and no body', async () => {
    const key = await bellhop.newKey('sandbox');
    const get = await call(sandbox(), key);
    const reply = await call(sandbox(), { ...key, method: 'HEAD' });
    expect(reply.status).toBe(200);
    expect(reply.body).toHaveLength(0);
    expect(reply.headers['content-length']).toBe(get.headers['content-length']);
    expect(reply.rawHeaders.filter((_, i) => i % 2 === 0)).toEqual(
      get.rawHeaders.filter((_, i) => i % 2 === 0),
    );
  });

  test('the scheme of the Authorization header is case-insensitive', async () => {
    const key = await bellhop.newKey('sandbox');
    const authorization = key.authorization.replace('Basic', 'bASIC');
    expect((await call(sandbox(), { authorization })).status).toBe(200);
  });

  test('a connection serves successive calls, also after refusals', async () => {
    const key = await bellhop.newKey('sandbox');
    const wire = await openWire(sandbox());
    const statuses: number[] = [];
    for (const authorization of [key.authorization, '', 'Bearer x', key.authorization]) {
      wire.write(head(`GET ${OVERVIEW_PATH}`, { Authorization: authorization }));
      statuses.push((await wire.next()).status);
    }
    wire.write(
      `${head(`POST ${OVERVIEW_PATH}`, { 'Content-Length': '4' })}abcd` +
        head(`GET ${OVERVIEW_PATH}`, { Authorization: key.authorization }),
    );
    statuses.push((await wire.next()).status, (await wire.next()).status);
    expect(statuses).toEqual([200, 401, 401, 200, 401, 200]);
    wire.socket.destroy();
  });
});

describe('what a key may call', () => {
  test("a key with a subset sees that subset and overview/, in the specification's order", async () => {
    const key = await bellhop.newKey('sandbox', { endpoints: [GEO, HP] });
    const { json } = await call(sandbox(), key);
    expect(json.data).toEqual(
      specifiedEndpoints.filter(({ endpoint }) => [HP, GEO, OVERVIEW].includes(endpoint)),
    );
  });

  test('overview/ cannot be withdrawn under any spelling', async () => {
    const key = await bellhop.newKey('sandbox', { endpoints: [] });
    for (const spelling of [OVERVIEW, `/${OVERVIEW}`, OVERVIEW.slice(0, -1)]) {
      const reply = await bellhop.support('DELETE', `${endpointsOf(key)}?endpoint=${spelling}`);
      expect([reply.status, reply.body.code]).toEqual([409, 'overview_required']);
    }
    const { json } = await call(sandbox(), key);
    expect(json.data.map((entry: { endpoint: string }) => entry.endpoint)).toEqual([OVERVIEW]);
  });

  test('a changed grant shows in the next call and in the support API', async () => {
    const key = await bellhop.newKey('sandbox', { endpoints: [HP] });
    await call(sandbox(), key);
    const changed = {
      endpoint: HP,
      is_active: false,
      is_debug_mode: true,
      is_limited: false,
      requests_number: 7,
      seconds_number: 3,
    };
    await bellhop.support('PUT', endpointsOf(key), changed);
    const shown = await call(sandbox(), key);
    expect(JSON.stringify(shown.json.data[0])).toBe(JSON.stringify(changed));
    const { body } = await bellhop.support('GET', endpointsOf(key));
    expect(body.items).toEqual(shown.json.data);

    await bellhop.support('DELETE', `${endpointsOf(key)}?endpoint=${HP}`);
    expect((await call(sandbox(), key)).json.data).toHaveLength(1);
    await bellhop.support('PUT', endpointsOf(key), { endpoint: GEO });
    const granted = (await call(sandbox(), key)).json.data[0];
    expect(granted).toEqual(specifiedEndpoints.find(({ endpoint }) => endpoint === GEO));
  });

  test('a change to one key does not affect another key with the same grants', async () => {
    const [key, other] = [await bellhop.newKey('sandbox'), await bellhop.newKey('sandbox')];
    await bellhop.support('PUT', endpointsOf(key), { endpoint: HP, requests_number: 3 });
    expect((await call(sandbox(), other)).json.data).toEqual(specifiedEndpoints);
    expect((await call(sandbox(), key)).json.data).not.toEqual(specifiedEndpoints);
  });
});

describe('X-Debug-Mode: on', () => {
  const debugging = { headers: { 'x-debug-mode': 'on' } };

  test('has no effect if debug mode is not available', async () => {
    const key = await bellhop.newKey('sandbox');
    expect((await call(sandbox(), { ...key, ...debugging })).json.debug).toBeNull();
  });

  test('returns the debug object if debug mode is available, and only on request', async () => {
    const key = await bellhop.newKey('sandbox');
    await bellhop.support('PUT', endpointsOf(key), { endpoint: OVERVIEW, is_debug_mode: true });
    const reply = await call(sandbox(), { ...key, ...debugging });
    expect(Object.keys(reply.json)).toEqual(['data', 'debug', 'error', 'status']);
    expect(reply.json).toMatchObject({ error: null, status: 'ok' });
    expect(reply.json.data).toHaveLength(43);
    expect(reply.headers['content-length']).toBe(String(reply.body.length));
    expect(reply.json.debug).toEqual({
      request_id: reply.headers['x-request-id'],
      real_ip: '127.0.0.1',
      utcnow: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      key_id: key.keyId,
      api_endpoint: OVERVIEW,
    });
    expect((await call(sandbox(), key)).json.debug).toBeNull();
    for (const value of ['off', '', 'on off', 'true']) {
      const other = await call(sandbox(), { ...key, headers: { 'x-debug-mode': value } });
      expect(other.json.debug).toBeNull();
    }
    for (const value of ['ON', 'On', 'oN']) {
      const shouting = await call(sandbox(), { ...key, headers: { 'X-DEBUG-MODE': value } });
      expect(shouting.json.debug).toMatchObject({ key_id: key.keyId });
    }
  });
});
