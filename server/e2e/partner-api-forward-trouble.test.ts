/** Booking cores that are slow, broken or unreachable. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../test/support.ts';
import { startBellhop, type TestKey } from '../testing/bellhop.ts';
import { expectRefusal } from './expect-refusal.ts';
import { sharedForwarding } from './forwarding.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import { bodyOf, sayingBytes } from './upstream.ts';
import { call, FORWARDED_PATH, head, openWire } from './wire.ts';

const MIB = 1_048_576;

const { upstream, begin } = sharedForwarding(() => ({ BELLHOP_ENVIRONMENTS: 'sandbox' }));

async function startFor(url: string): Promise<{ key: TestKey; sandbox: string }> {
  const own = await startBellhop({
    BELLHOP_ENVIRONMENTS: 'sandbox',
    BELLHOP_SANDBOX_UPSTREAM_URL: url,
  });
  return { key: await own.newKey('sandbox'), sandbox: own.addresses.sandbox };
}

const about = (key: TestKey) => ({
  key_id: key.keyId,
  api_endpoint: FORWARDED_PATH.slice(1),
});

const forwarded = (key: TestKey) => ({ ...key, path: FORWARDED_PATH });

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

function encoded(codings: string): string {
  return `${CHUNKED.replace('chunked', codings)}2\r\nok\r\n0\r\n\r\n`;
}

describe('502 upstream_unreachable', () => {
  const broken = [
    ['hangs up without a reply', ''],
    ['hangs up in the middle of the headers', 'HTTP/1.1 200 OK\r\nContent-'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['sends a header that is not valid', 'HTTP/1.1 200 OK\r\nA b: c\r\n\r\n'],
    ['sends a control character in a header', 'HTTP/1.1 200 OK\r\nA: b\u0001c\r\n\r\n'],
    [
      'sends one, and a whole reply',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: b\u0001c\r\n\r\nok',
    ],
    ['sends DEL in a header', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: b\u007fc\r\n\r\nok'],
    ['sends a length that is not a number', 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'],
    ['sends more headers than fit', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(40_000)}\r\n\r\n`],
    ['switches protocols unasked', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['sends a length of a chunk that is not a number', `${CHUNKED}zz\r\n`],
    ['sends such a length in one piece with the chunk before', `${CHUNKED}4\r\nhalf\r\nzz\r\n`],
    ['hangs up before the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'],
    // Bellhop offers none, so only chunked is allowed (RFC 9110, 10.1.4).
    ['compresses the transfer', encoded('gzip, chunked')],
    ['compresses the transfer, in two headers', encoded('gzip\r\nTransfer-Encoding: chunked')],
    ['compresses the transfer up to the end of the connection', encoded('gzip')],
  ];

  test.each(broken)('for an upstream that %s, without a second try', async (_what, bytes) => {
    const { key, sandbox } = await begin(sayingBytes(bytes));
    expectRefusal(await call(sandbox, forwarded(key)), 502, 'upstream_unreachable', about(key));
    expect(upstream.requests).toHaveLength(1);
  });

  test.each(['GET', 'HEAD', 'POST'])(
    '%s is not retried when the connection is reset',
    async (method) => {
      let requests = 0;
      const { key, sandbox } = await begin((request, response) => {
        requests++;
        // The first call is answered, so the second one uses an existing connection.
        if (requests === 1) response.end('first');
        else request.socket.resetAndDestroy();
      });
      expect((await call(sandbox, forwarded(key))).status).toBe(200);
      const body = method === 'POST' ? { body: '{}' } : {};
      expect((await call(sandbox, { ...forwarded(key), method, ...body })).status).toBe(502);
      expect(requests).toBe(2);
      // The next call reaches the upstream again.
      expect((await call(sandbox, forwarded(key))).status).toBe(502);
      expect(requests).toBe(3);
    },
  );

  test('reaches a caller that is still sending its body, even if it reads late', async () => {
    const { key, sandbox } = await begin((request) => request.socket.resetAndDestroy());
    const wire = await openWire(sandbox);
    wire.write(
      head(`POST ${FORWARDED_PATH}`, {
        Authorization: key.authorization,
        'Content-Length': `${MIB}`,
      }),
    );
    wire.write(Buffer.alloc(1_000, 'x'));
    const reply = await wire.next();
    expectRefusal(reply, 502, 'upstream_unreachable', about(key));
    await new Promise<void>((resolve, reject) => {
      wire.socket.write(Buffer.alloc(MIB - 1_000, 'x'), (error) =>
        error ? reject(error) : resolve(),
      );
    });
    expect(String(await wire.ended())).toBe('');
  });

  test('for a call with a body, if nothing listens', async () => {
    const { key, sandbox } = await startFor(`http://127.0.0.1:${await freePort()}`);
    const body = Buffer.alloc(MIB, 'x');
    const reply = await call(sandbox, { ...forwarded(key), method: 'POST', body });
    expectRefusal(reply, 502, 'upstream_unreachable', about(key));
  });

  test('if the host name is unknown', async () => {
    const { key, sandbox } = await startFor('http://upstream.invalid');
    expectRefusal(await call(sandbox, forwarded(key)), 502, 'upstream_unreachable', about(key));
  });
});

describe('504 upstream_timeout', () => {
  const impatient = sharedBellhop(() => ({
    BELLHOP_ENVIRONMENTS: 'sandbox',
    BELLHOP_SANDBOX_UPSTREAM_URL: upstream.url,
    BELLHOP_SANDBOX_UPSTREAM_TIMEOUT: '400ms',
  }));

  test.each([
    ['GET', {}],
    ['POST', { body: 'abc' }],
    ['POST', { body: 'abc', headers: { 'transfer-encoding': 'chunked' } }],
  ])(
    '%s %j to an upstream that does not answer, whose connection is then closed',
    async (method, options) => {
      const gone = Promise.withResolvers<void>();
      const { key, sandbox } = await begin((request) => {
        request.socket.once('close', () => gone.resolve());
      }, impatient);
      const reply = await call(sandbox, { ...forwarded(key), method, ...options });
      expectRefusal(reply, 504, 'upstream_timeout', about(key));
      await gone.promise;
      expect(upstream.requests).toHaveLength(1);
    },
  );

  test("a slow caller does not use up the upstream's time", async () => {
    const { key, sandbox } = await begin(async (request, response) => {
      response.end(await bodyOf(request));
    }, impatient);
    const wire = await openWire(sandbox);
    wire.write(
      head(`POST ${FORWARDED_PATH}`, { Authorization: key.authorization, 'Content-Length': '4' }),
    );
    // Longer than the upstream's time-out.
    for (const letter of 'slow') {
      await new Promise((resolve) => setTimeout(resolve, 120));
      wire.write(letter);
    }
    expect((await wire.next()).status).toBe(200);
    wire.socket.destroy();
  });

  test('a reply that stops in the middle is cut off', async () => {
    const { key, sandbox } = await begin((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half');
    }, impatient);
    await expect(call(sandbox, forwarded(key))).rejects.toThrow('aborted');
  });
});

describe('a truncated reply does not look complete', () => {
  test.each([
    ['with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n', 'half', ''],
    ['in chunks', CHUNKED, '4\r\nhalf\r\n', ''],
    ['in chunks, with nonsense', CHUNKED, '4\r\nhalf\r\n', 'zz\r\n'],
  ])('%s', async (_what, headers, half, nonsense) => {
    const told = Promise.withResolvers<void>();
    const { key, sandbox } = await begin(async ({ socket }) => {
      socket.write(headers + half);
      await told.promise;
      socket.end(nonsense);
    });
    const wire = await openWire(sandbox);
    wire.write(head(`GET ${FORWARDED_PATH}`, { Authorization: key.authorization }));
    await once(wire.socket, 'data');
    told.resolve();
    const reply = String(await wire.ended());
    expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(reply).toContain('half');
    expect(reply).not.toMatch(/0\r\n\r\n$/);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('the upstream replies before it has read the body', () => {
  test('the caller gets the reply, and the connection stays usable', async () => {
    const { key, sandbox } = await begin((_request, response) => {
      response.writeHead(422, { 'Content-Length': '5' });
      response.end('early');
    });
    const wire = await openWire(sandbox);
    for (let i = 0; i < 2; i++) {
      wire.write(
        head(`POST ${FORWARDED_PATH}`, {
          Authorization: key.authorization,
          'Content-Length': `${MIB}`,
        }),
      );
      wire.write(Buffer.alloc(1_000, 'x'));
      const reply = await wire.next();
      expect([reply.status, reply.text]).toEqual([422, 'early']);
      wire.write(Buffer.alloc(MIB - 1_000, 'x'));
    }
    wire.socket.destroy();
  });
});
