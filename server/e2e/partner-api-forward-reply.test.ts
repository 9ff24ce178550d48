/** What a forwarded call brings back from the booking core, and what it does not. */
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sharedForwarding } from './forwarding.ts';
import { sayingBytes } from './upstream.ts';
import { call, FORWARDED_PATH, head, openWire } from './wire.ts';

const { upstream, begin } = sharedForwarding(() => ({ BELLHOP_ENVIRONMENTS: 'sandbox' }));

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

  test('without a coding of the transfer, said as identity, is complete', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n';
    const { key, sandbox } = await begin(sayingBytes(`${head}to the end`));
    const reply = await call(sandbox, { ...key, path: FORWARDED_PATH });
    expect([reply.status, reply.text]).toEqual([200, 'to the end']);
  });

  test.each(['Transfer-Encoding: chunked', 'Content-Length: 4'])(
    'has its head passed on before its body has begun: %s',
    async (framing) => {
      let sendBody = () => {};
      const { key, sandbox } = await begin(({ socket }) => {
        socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\nX-Core: early\r\n\r\n`);
        sendBody = () => socket.end(framing.endsWith('4') ? 'late' : '4\r\nlate\r\n0\r\n\r\n');
      });
      const wire = await openWire(sandbox);
      wire.write(head(`GET ${FORWARDED_PATH}`, { Authorization: key.authorization }));
      const [first] = await once(wire.socket, 'data');
      expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*X-Core: early\r\n.*\r\n\r\n$/s);
      sendBody();
      expect(String((await once(wire.socket, 'data'))[0])).toContain('late');
      wire.socket.destroy();
    },
  );

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
