/** What a forwarded request brings to the booking core, and what it does not. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { startBellhop } from '../testing/bellhop.ts';
import { sharedForwarding } from './forwarding.ts';
import { bodyOf, headersOf, sharedUpstream } from './upstream.ts';
import { call, FORWARDED_PATH, head, OVERVIEW_PATH, openWire } from './wire.ts';

const productionUpstream = sharedUpstream();
const { upstream, bellhop, begin } = sharedForwarding(() => ({
  BELLHOP_PRODUCTION_UPSTREAM_URL: productionUpstream.url,
}));

describe('the request', () => {
  test("keeps its method, query and body, and gets the catalogue's spelling of the path", async () => {
    const seen: unknown[] = [];
    const { key, sandbox } = await begin(async (request, response) => {
      seen.push([request.method, request.url, String(await bodyOf(request))]);
      response.end('ok');
    });
    const slashless = FORWARDED_PATH.slice(0, -1);
    await call(sandbox, { ...key, path: FORWARDED_PATH });
    await call(sandbox, { ...key, path: slashless });
    await call(sandbox, { ...key, path: `${slashless}?a=1&b=%2F&c` });
    await call(sandbox, { ...key, path: `http://elsewhere.test${FORWARDED_PATH}?q=?&q=/../` });
    await call(sandbox, { ...key, path: `${FORWARDED_PATH}?` });
    await call(sandbox, { ...key, path: FORWARDED_PATH, method: 'POST', body: '{"id":"é"}' });
    await call(sandbox, { ...key, path: FORWARDED_PATH, method: 'HEAD' });
    await call(sandbox, {
      ...key,
      path: FORWARDED_PATH,
      method: 'POST',
      body: 'in chunks',
      headers: { 'transfer-encoding': 'chunked' },
    });
    await call(sandbox, {
      ...key,
      path: FORWARDED_PATH,
      body: 'a GET with a body',
      headers: { 'content-length': '17' },
    });
    expect(seen).toEqual([
      ['GET', FORWARDED_PATH, ''],
      ['GET', FORWARDED_PATH, ''],
      ['GET', `${FORWARDED_PATH}?a=1&b=%2F&c`, ''],
      ['GET', `${FORWARDED_PATH}?q=?&q=/../`, ''],
      ['GET', `${FORWARDED_PATH}?`, ''],
      ['POST', FORWARDED_PATH, '{"id":"é"}'],
      ['HEAD', FORWARDED_PATH, ''],
      ['POST', FORWARDED_PATH, 'in chunks'],
      ['GET', FORWARDED_PATH, 'a GET with a body'],
    ]);
  });

  test.each([1_000, 64_000, 66_000, 80_000, 100_000, 130_000, 200_000, 1_000_000])(
    'keeps a body of %i bytes, in any number of pieces',
    async (bytes) => {
      const key = await bellhop.newKey('sandbox');
      const body = Buffer.alloc(bytes, 'abcdefg');
      upstream.answer = async (request, response) => {
        response.end(String((await bodyOf(request)).equals(body)));
      };
      const { status, text } = await call(bellhop.addresses.sandbox, {
        ...key,
        method: 'POST',
        path: FORWARDED_PATH,
        body,
      });
      expect([status, text]).toEqual([200, 'true']);
    },
  );

  test('keeps a small body that arrives in two packets while the limit is being journaled', async () => {
    const { authorization } = await bellhop.newKey('sandbox');
    upstream.answer = async (request, response) => {
      const text = String(await bodyOf(request));
      response.writeHead(200, { 'content-length': text.length }).end(text);
    };
    const wire = await openWire(bellhop.addresses.sandbox);
    const start = head('POST /api/b2b/v3/hotel/info/dump/', {
      Authorization: authorization,
      'Content-Length': '20',
    });
    for (let n = 0; n < 20; n++) {
      wire.write(`${start}0123456789`);
      await new Promise((resolve) => setTimeout(resolve, n % 4));
      wire.write('abcdefghij');
      const { status, text } = await wire.next();
      expect([status, text]).toEqual([200, '0123456789abcdefghij']);
    }
  });

  test('goes to a path below that of UPSTREAM_URL', async () => {
    await begin();
    for (const prefix of ['/core', '/core/v2/']) {
      const own = await startBellhop({
        BELLHOP_ENVIRONMENTS: 'sandbox',
        BELLHOP_SANDBOX_UPSTREAM_URL: upstream.url + prefix,
      });
      const key = await own.newKey('sandbox');
      await call(own.addresses.sandbox, { ...key, path: `${FORWARDED_PATH}?x` });
      const clean = prefix.replace(/\/$/, '');
      expect(upstream.requests.at(-1)?.url).toBe(`${clean}${FORWARDED_PATH}?x`);
    }
  });

  test('identifies the caller, and carries no header that only Bellhop may set', async () => {
    const { key, sandbox } = await begin();
    const reply = await call(sandbox, {
      ...key,
      path: FORWARDED_PATH,
      method: 'POST',
      body: 'abc',
      headers: {
        host: 'partner.test',
        'content-type': 'text/plain',
        accept: '*/*',
        cookie: 'a=b',
        'accept-encoding': 'gzip',
        'user-agent': 'test',
        'x-own': ['one', 'two'],
        // The headers from here on are not forwarded.
        connection: 'close, X-Secret, content-length',
        'x-secret': 'for this hop alone',
        te: 'trailers',
        trailer: 'x-t',
        upgrade: 'h2c',
        'keep-alive': 'timeout=5',
        'proxy-authorization': 'Basic eA==',
        'proxy-connection': 'keep-alive',
        'x-bellhop-key-id': 'spoofed',
        'X-BELLHOP-Partner-Id': 'spoofed',
        'x-bellhop-environment': 'production',
        'x-bellhop-role': 'admin',
        x_bellhop_key_id: 'spoofed',
        'x-request-id': 'spoofed',
        forwarded: 'for=192.0.2.99',
        // This caller is a trusted proxy, so Bellhop uses this header and reports it as Forwarded.
        'x-forwarded-for': '192.0.2.66',
        'x-forwarded-host': 'spoofed',
        'x-forwarded-proto': 'https',
        'x-real-ip': '192.0.2.99',
        'x-debug-mode': 'on',
      },
    });
    const [request] = upstream.requests;
    if (!request) throw new Error('nothing came');
    expect(headersOf(request)).toEqual(
      [
        ['host', new URL(upstream.url).host],
        ['connection', 'keep-alive'],
        ['content-type', 'text/plain'],
        ['content-length', '3'],
        ['accept', '*/*'],
        ['cookie', 'a=b'],
        ['accept-encoding', 'gzip'],
        ['user-agent', 'test'],
        ['x-own', 'one'],
        ['x-own', 'two'],
        ['x-bellhop-key-id', key.keyId],
        ['x-bellhop-partner-id', key.partnerId],
        ['x-bellhop-environment', 'sandbox'],
        ['x-request-id', reply.headers['x-request-id'] as string],
        ['forwarded', 'for=192.0.2.66;host="partner.test";proto=http'],
      ].sort(),
    );
  });

  test('carries X-Debug-Mode if debug mode is available', async () => {
    const { key, sandbox } = await begin();
    await bellhop.support('PUT', `/support/v1/sandbox/keys/${key.keyId}/endpoints`, {
      endpoint: FORWARDED_PATH,
      is_debug_mode: true,
    });
    await call(sandbox, { ...key, path: FORWARDED_PATH, headers: { 'x-debug-mode': 'on' } });
    expect(upstream.requests[0]?.headers['x-debug-mode']).toBe('on');
  });

  test('names the address of an IPv6 caller behind a trusted proxy', async () => {
    const { key, sandbox } = await begin();
    const headers = { 'x-forwarded-for': '2001:db8::7', host: 'bellhop.test' };
    await call(sandbox, { ...key, path: FORWARDED_PATH, headers });
    expect(upstream.requests[0]?.headers.forwarded).toBe(
      'for="[2001:db8::7]";host="bellhop.test";proto=http',
    );
  });

  test('is refused before it reaches the upstream if its Host could forge a Forwarded header', async () => {
    const { key, sandbox } = await begin();
    const headers = { host: 'a";for=x' };
    expect(await call(sandbox, { ...key, path: FORWARDED_PATH, headers })).toMatchObject({
      status: 400,
      json: { error: { code: 'malformed_request' } },
    });
    expect(upstream.requests).toEqual([]);
  });

  test('keeps non-ASCII bytes in a header unchanged', async () => {
    const { key, sandbox } = await begin();
    const wire = await openWire(sandbox);
    const bytes = head(`GET ${FORWARDED_PATH}`, {
      Authorization: key.authorization,
      'X-Name': 'Zürich',
    });
    wire.write(Buffer.from(bytes, 'utf8'));
    expect((await wire.next()).status).toBe(200);
    const [request] = upstream.requests;
    const name = request?.headers['x-name'] as string;
    expect(Buffer.from(name, 'latin1').toString('utf8')).toBe('Zürich');
    wire.socket.destroy();
  });

  test('answers Expect: 100-continue itself, and does not forward it', async () => {
    const { key, sandbox } = await begin(async (request, response) => {
      response.end(`got ${await bodyOf(request)}`);
    });
    const wire = await openWire(sandbox);
    wire.write(
      head(`POST ${FORWARDED_PATH}`, {
        Authorization: key.authorization,
        'Content-Length': '3',
        Expect: '100-continue',
      }),
    );
    expect((await wire.next()).status).toBe(100);
    wire.write('abc');
    await once(wire.socket, 'data');
    expect(upstream.requests[0]?.headers.expect).toBeUndefined();
    wire.socket.destroy();
  });

  test('reuses one connection to the upstream for successive calls', async () => {
    const { key, sandbox } = await begin(async (request, response) => {
      response.end(await bodyOf(request));
    });
    for (let i = 0; i < 10; i++) {
      const options = i % 2 ? { method: 'POST', body: `call ${i}` } : {};
      await call(sandbox, { ...key, path: FORWARDED_PATH, ...options });
    }
    expect(upstream.requests).toHaveLength(10);
    // A connection of the previous test may still be open.
    expect(upstream.connections).toBeLessThanOrEqual(1);
  });

  test('goes only to the upstream of its own environment', async () => {
    const { key, sandbox } = await begin((_request, response) => response.end('sandbox'));
    productionUpstream.answer = (_request, response) => response.end('production');
    const own = await bellhop.newKey('production');
    const live = await call(bellhop.addresses.production, { ...own, path: FORWARDED_PATH });
    const trial = await call(sandbox, { ...key, path: FORWARDED_PATH });
    expect([live.text, trial.text]).toEqual(['production', 'sandbox']);
    expect(productionUpstream.requests[0]?.headers['x-bellhop-environment']).toBe('production');
    expect([productionUpstream.requests.length, upstream.requests.length]).toEqual([1, 1]);
  });

  test('is forwarded for each of the other 42 endpoints, but never for overview/', async () => {
    const { key, sandbox } = await begin();
    const { data } = (await call(sandbox, key)).json;
    const paths = data.map((entry: { endpoint: string }) => `/${entry.endpoint}`);
    for (const path of paths) expect((await call(sandbox, { ...key, path })).status).toBe(200);
    expect(upstream.requests.map((request) => request.url)).toEqual(
      paths.filter((path: string) => path !== OVERVIEW_PATH),
    );
    expect(upstream.requests).toHaveLength(42);
  });

  test('never reaches the upstream if the call is refused', async () => {
    const { key, sandbox } = await begin();
    const endpoints = `/support/v1/sandbox/keys/${key.keyId}/endpoints`;
    const limit = { endpoint: FORWARDED_PATH, requests_number: 1, seconds_number: 3_600 };
    await bellhop.support('PUT', endpoints, limit);
    const statuses: number[] = [];
    const forwarded = { ...key, path: FORWARDED_PATH };
    statuses.push((await call(sandbox, { path: FORWARDED_PATH })).status);
    statuses.push((await call(sandbox, { ...forwarded, method: 'DELETE' })).status);
    statuses.push((await call(sandbox, forwarded)).status);
    statuses.push((await call(sandbox, forwarded)).status);
    await bellhop.support('PUT', endpoints, { endpoint: FORWARDED_PATH, is_active: false });
    statuses.push((await call(sandbox, forwarded)).status);
    await bellhop.support('DELETE', `${endpoints}?endpoint=${FORWARDED_PATH}`);
    statuses.push((await call(sandbox, forwarded)).status);
    expect(statuses).toEqual([401, 405, 200, 429, 403, 403]);
    expect(upstream.requests).toHaveLength(1);
  });
});
