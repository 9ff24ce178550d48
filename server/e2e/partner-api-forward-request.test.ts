/** What passes between a caller and the booking core, and what does not. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startBellhop, type TestKey } from '../testing/bellhop.ts';
import { sharedBellhop } from './shared-bellhop.ts';
import { bodyOf, headersOf, sayingBytes, sharedUpstream } from './upstream.ts';
import { call, FORWARDED_PATH, head, OVERVIEW_PATH, openWire } from './wire.ts';

const upstream = sharedUpstream();
const productionUpstream = sharedUpstream();
const bellhop = sharedBellhop(() => ({
  BELLHOP_SANDBOX_UPSTREAM_URL: upstream.url,
  BELLHOP_PRODUCTION_UPSTREAM_URL: productionUpstream.url,
}));

async function begin(
  answer: RequestListener = (_request, response) => response.end('ok'),
): Promise<{ key: TestKey; sandbox: string }> {
  upstream.answer = answer;
  return { key: await bellhop.newKey('sandbox'), sandbox: bellhop.addresses.sandbox };
}

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

  test('names the address of an IPv6 caller behind a trusted proxy, and omits an invalid Host', async () => {
    const { key, sandbox } = await begin();
    const headers = { 'x-forwarded-for': '2001:db8::7', host: 'a";for=x' };
    await call(sandbox, { ...key, path: FORWARDED_PATH, headers });
    expect(upstream.requests[0]?.headers.forwarded).toBe('for="[2001:db8::7]";proto=http');
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

describe('the reply', () => {
  test('is passed back unchanged: status, header order, repeated headers and bytes', async () => {
    const body = gzipSync('{"packed":true}');
    const { key, sandbox } = await begin((_request, response) => {
      response.sendDate = false;
      response.writeHead(
        422,
        [
          ['Content-Type', 'application/x-odd; v=1'],
          ['Content-Encoding', 'gzip'],
          ['Set-Cookie', 'a=1; Path=/'],
          ['Set-Cookie', 'b=2'],
          ['X-Mixed-Case', 'Yes'],
          ['Date', 'Thu, 01 Jan 2026 00:00:00 GMT'],
          ['ETag', '"x"'],
          ['Content-Length', String(body.length)],
        ].flat() as string[],
      );
      response.end(body);
    });
    const reply = await call(sandbox, { ...key, path: FORWARDED_PATH });
    expect(reply.status).toBe(422);
    expect(reply.body).toEqual(body);
    expect(reply.rawHeaders.slice(0, 16)).toEqual([
      'Content-Type',
      'application/x-odd; v=1',
      'Content-Encoding',
      'gzip',
      'Set-Cookie',
      'a=1; Path=/',
      'Set-Cookie',
      'b=2',
      'X-Mixed-Case',
      'Yes',
      'Date',
      'Thu, 01 Jan 2026 00:00:00 GMT',
      'ETag',
      '"x"',
      'Content-Length',
      String(body.length),
    ]);
    expect(reply.rawHeaders.filter((name) => name === 'Date')).toHaveLength(1);
  });

  test("loses the upstream's hop-by-hop headers and gets Bellhop's limit and request id", async () => {
    const { key, sandbox } = await begin((_request, response) => {
      response.writeHead(200, {
        Connection: 'keep-alive, X-Hop',
        'X-Hop': 'upstream',
        'Keep-Alive': 'timeout=5',
        'Proxy-Authenticate': 'Basic',
        'X-Request-Id': 'upstream',
        'X-RateLimit-Remaining': '777',
        'X-RateLimit-Other': '777',
        RateLimit: '"core";r=777;t=1',
        'RateLimit-Policy': '"core";q=777;w=1',
        'X-Kept': 'yes',
      });
      response.end('{}');
    });
    const reply = await call(sandbox, { ...key, path: FORWARDED_PATH });
    const names = reply.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    expect(names.toSorted()).toEqual(
      [
        'connection',
        'date',
        'ratelimit',
        'ratelimit-policy',
        'transfer-encoding',
        'x-kept',
        'x-ratelimit-remaining',
        'x-ratelimit-requestsnumber',
        'x-ratelimit-reset',
        'x-ratelimit-secondsnumber',
        'x-request-id',
      ].toSorted(),
    );
    expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    expect(reply.headers['x-ratelimit-remaining']).toBe('29');
    expect(reply.headers.ratelimit).toMatch(/^"endpoint";r=29;t=\d+$/);
  });

  test("has neither our nor the upstream's limit headers if the endpoint has no limit", async () => {
    const { key, sandbox } = await begin((_request, response) => {
      response.setHeader('X-RateLimit-Remaining', '777');
      response.end('{}');
    });
    const path = '/api/b2b/v3/hotel/order/booking/finish/status/';
    const reply = await call(sandbox, { ...key, path });
    expect(reply.status).toBe(200);
    expect(reply.rawHeaders.join().toLowerCase()).not.toContain('ratelimit');
  });

  test.each([204, 304])('has no body for %i, and the connection stays usable', async (status) => {
    const { key, sandbox } = await begin((_request, response) => {
      response.writeHead(status, { ETag: '"x"' });
      response.end();
    });
    const wire = await openWire(sandbox);
    for (let i = 0; i < 2; i++) {
      wire.write(head(`GET ${FORWARDED_PATH}`, { Authorization: key.authorization }));
      const reply = await wire.next();
      expect([reply.status, reply.headers.etag]).toEqual([status, '"x"']);
      expect(reply.headers['transfer-encoding']).toBeUndefined();
    }
    wire.socket.destroy();
  });

  test('to HEAD has the headers, including the length, and no body', async () => {
    const { key, sandbox } = await begin((_request, response) => {
      response.writeHead(200, { 'Content-Length': '12345' });
      response.end();
    });
    const wire = await openWire(sandbox);
    for (let i = 0; i < 2; i++) {
      wire.write(head(`HEAD ${FORWARDED_PATH}`, { Authorization: key.authorization }));
      expect((await wire.next('HEAD')).headers['content-length']).toBe('12345');
    }
    wire.socket.destroy();
  });

  test.each([301, 401, 404, 429, 500, 503])(
    'with status %i is passed on, not followed or replaced',
    async (status) => {
      const { key, sandbox } = await begin((_request, response) => {
        response.writeHead(status, { Location: '/elsewhere', 'Retry-After': '7' });
        response.end('core');
      });
      const reply = await call(sandbox, { ...key, path: FORWARDED_PATH });
      expect([reply.status, reply.text]).toEqual([status, 'core']);
      expect([reply.headers.location, reply.headers['retry-after']]).toEqual(['/elsewhere', '7']);
      expect(upstream.requests).toHaveLength(1);
    },
  );

  test('is passed on without the early hints before it', async () => {
    const { key, sandbox } = await begin((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('late');
    });
    expect((await call(sandbox, { ...key, path: FORWARDED_PATH })).text).toBe('late');
  });

  test('without length or chunks ends with the connection and is complete', async () => {
    const { key, sandbox } = await begin(sayingBytes('HTTP/1.1 200 OK\r\n\r\nto the end'));
    const reply = await call(sandbox, { ...key, path: FORWARDED_PATH });
    expect([reply.status, reply.text]).toEqual([200, 'to the end']);
  });

  test('is streamed piece by piece, without waiting for the end', async () => {
    let sendMore = () => {};
    const { key, sandbox } = await begin((_request, response) => {
      response.write('first');
      sendMore = () => response.end('second');
    });
    const wire = await openWire(sandbox);
    wire.write(head(`GET ${FORWARDED_PATH}`, { Authorization: key.authorization }));
    let text = '';
    wire.socket.on('data', (chunk) => {
      text += chunk;
    });
    while (!text.includes('first')) await once(wire.socket, 'data');
    sendMore();
    while (!text.includes('second')) await once(wire.socket, 'data');
    wire.socket.destroy();
  });

  test('is readable for an HTTP/1.0 caller', async () => {
    const { key, sandbox } = await begin((_request, response) => {
      response.write('in ');
      response.end('pieces');
    });
    const wire = await openWire(sandbox);
    wire.write(`GET ${FORWARDED_PATH} HTTP/1.0\r\nAuthorization: ${key.authorization}\r\n\r\n`);
    const text = String(await wire.ended());
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text.toLowerCase()).not.toContain('transfer-encoding');
    expect(text.split('\r\n\r\n')[1]).toBe('in pieces');
  });
});
