/** Invalid HTTP is answered in the envelope too. */
import { describe, expect, test } from 'vitest';
import { expectRefusal } from './expect-refusal.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import {
  call,
  FORWARDED_PATH,
  head,
  OVERVIEW_PATH,
  openWire,
  type Reply,
  type Wire,
} from './wire.ts';

const bellhop = sharedBellhop();
const sandbox = () => bellhop.addresses.sandbox;

/** Writes bytes, and expects one refusal and the end of the connection. */
async function refused(bytes: string, status: number, error: string): Promise<Wire> {
  const wire = await openWire(sandbox());
  wire.write(bytes);
  const reply = await wire.next();
  expectRefusal(reply, status, error, { real_ip: '127.0.0.1' });
  expect(reply.json.data).toEqual(bytes.includes(OVERVIEW_PATH) ? [] : null);
  expect(reply.headers.connection).toBe('close');
  expect(String(await wire.ended())).toBe('');
  return wire;
}

describe('400 malformed_request', () => {
  const line = `GET ${OVERVIEW_PATH} HTTP/1.1\r\n`;
  const host = 'Host: bellhop.test\r\n';
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['the beginning of a TLS connection', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
    ['no version', `GET ${OVERVIEW_PATH}\r\n${host}\r\n`],
    ['another version', `GET ${OVERVIEW_PATH} HTTP/9.9\r\n${host}\r\n`],
    ['a space in the target', `GET /a b HTTP/1.1\r\n${host}\r\n`],
    ['no target', `GET HTTP/1.1\r\n${host}\r\n`],
    ['a header without a colon', `${line}${host}nonsense\r\n\r\n`],
    ['a space before the colon', `${line}${host}A : b\r\n\r\n`],
    ['a control character in a header', `${line}${host}A: b\u0001c\r\n\r\n`],
    ['a NUL in a header', `${line}${host}A: b\u0000c\r\n\r\n`],
    ['a header that begins with a space', `${line} A: b\r\n${host}\r\n`],
    ['a bare line feed', `GET ${OVERVIEW_PATH} HTTP/1.1\n${host}A: b\nC: d\n\n`],
    ['a length that is not a number', `POST / HTTP/1.1\r\n${host}Content-Length: 1x\r\n\r\n`],
    ['a negative length', `POST / HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`],
    [
      'two lengths that differ',
      `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      'a length given twice',
      `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`,
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'chunks and a length',
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a transfer coding that hides where the body ends',
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked, gzip\r\n\r\n`,
    ],
    [
      'an unsupported transfer coding',
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a chunk size that is not a number',
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
    ['no Host', `${line}\r\n`],
    ['two Hosts', `${line}${host}Host: other.test\r\n\r\n`],
    ['a Host with a space', `${line}Host: a b\r\n\r\n`],
    ['a Host with a user', `${line}Host: user@example.com\r\n\r\n`],
    ['a Host with a path', `${line}Host: example.com/path\r\n\r\n`],
    ['such a Host in HTTP/1.0', `GET ${OVERVIEW_PATH} HTTP/1.0\r\nHost: a b\r\n\r\n`],
    [
      'such a Host beside an origin',
      `GET http://bellhop.test${OVERVIEW_PATH} HTTP/1.1\r\nHost: a b\r\n\r\n`,
    ],
  ])('%s', async (_what, bytes) => {
    await refused(bytes, 400, 'malformed_request');
  });

  test('a chunk size that is not a number, in a call that is being answered', async () => {
    const key = await bellhop.newKey('sandbox');
    const headers = { Authorization: key.authorization, 'Transfer-Encoding': 'chunked' };
    await refused(
      `${head(`POST ${OVERVIEW_PATH}`, headers)}1\r\na\r\nzz\r\n`,
      400,
      'malformed_request',
    );
    const usage = await bellhop.support('GET', `/support/v1/sandbox/keys/${key.keyId}/usage`);
    expect(usage.body.items.at(-1)).toMatchObject({ endpoint: 'api/b2b/v3/overview/', used: 0 });
  });

  test.each(['', '[::1]:8080', 'EXAMPLE.com:'])('but not for the Host %j', async (value) => {
    const key = await bellhop.newKey('sandbox');
    const reply = await call(sandbox(), { ...key, headers: { host: value } });
    expect(reply.status).toBe(200);
  });

  test('HTTP/1.0 needs no Host', async () => {
    const key = await bellhop.newKey('sandbox');
    const wire = await openWire(sandbox());
    wire.write(`GET ${OVERVIEW_PATH} HTTP/1.0\r\nAuthorization: ${key.authorization}\r\n\r\n`);
    expect((await wire.next()).status).toBe(200);
    expect(String(await wire.ended())).toBe('');
  });
});

describe('405 unexpected_method', () => {
  test.each([
    ['a method that HTTP does not know', `BREW ${OVERVIEW_PATH}`],
    ['a known method in lower case', `get ${OVERVIEW_PATH}`],
    ['a query', `BREW ${OVERVIEW_PATH}?a=/b`],
    ['a target with an origin', `get http://bellhop.test${OVERVIEW_PATH}?a`],
    ['another endpoint', `BREW ${FORWARDED_PATH}`],
    ['CONNECT', 'CONNECT bellhop.test:443'],
    ['CONNECT to a path', `CONNECT ${OVERVIEW_PATH}`],
  ])('%s', async (_what, line) => {
    await refused(head(line), 405, 'unexpected_method');
  });

  test('data is an array for overview/ only, also without its slash', async () => {
    for (const [target, data] of [
      [OVERVIEW_PATH.slice(0, -1), []],
      [`${OVERVIEW_PATH.slice(0, -1)}?a`, []],
      [`${OVERVIEW_PATH}x`, null],
      [`/?${OVERVIEW_PATH}`, null],
    ] as const) {
      const wire = await openWire(sandbox());
      wire.write(head(`BREW ${target}`));
      expect((await wire.next()).json.data).toEqual(data);
      wire.socket.destroy();
    }
  });
});

describe('431 headers_too_large', () => {
  test.each([
    ['a header', head(`GET ${OVERVIEW_PATH}`, { A: 'a'.repeat(17_000) })],
    ['a target', head(`GET /${'a'.repeat(17_000)}`)],
    ['many headers', head(`GET ${OVERVIEW_PATH}`, numbered(2_000))],
  ])('%s', async (_what, bytes) => {
    await refused(bytes, 431, 'headers_too_large');
  });

  test('also for a caller that reads only after it has sent everything', async () => {
    const wire = await openWire(sandbox());
    wire.socket.pause();
    const bytes = head(`GET ${OVERVIEW_PATH}`, { A: 'a'.repeat(16_000_000) });
    await new Promise<void>((resolve, reject) => {
      wire.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    wire.socket.resume();
    expectRefusal(await wire.next(), 431, 'headers_too_large');
    expect(String(await wire.ended())).toBe('');
  });

  test('accepts 16,000 bytes of headers, and reads the last one', async () => {
    const key = await bellhop.newKey('sandbox');
    const headers = { A: 'a'.repeat(15_800), Authorization: key.authorization };
    expect((await call(sandbox(), { headers })).status).toBe(200);
  });
});

describe('Expect: 100-continue', () => {
  test('an accepted caller gets 100, and then the reply', async () => {
    const key = await bellhop.newKey('sandbox');
    const wire = await openWire(sandbox());
    wire.write(
      head(`POST ${OVERVIEW_PATH}`, {
        Authorization: key.authorization,
        'Content-Length': '3',
        Expect: '100-continue',
      }),
    );
    expect((await wire.next()).status).toBe(100);
    wire.write('abc');
    expect((await wire.next()).status).toBe(200);
    wire.write(head(`GET ${OVERVIEW_PATH}`, { Authorization: key.authorization }));
    expect((await wire.next()).status).toBe(200);
    wire.socket.destroy();
  });

  test.each([
    ['credentials', 401, { 'Content-Length': '3' }],
    ['length', 413, { 'Content-Length': '1048577' }],
  ])(
    'a caller refused for the %s is answered at once, without a 100',
    async (what, status, headers) => {
      const { authorization } = await bellhop.newKey('sandbox');
      const wire = await openWire(sandbox());
      wire.write(
        head(`POST ${OVERVIEW_PATH}`, {
          ...(what === 'length' && { Authorization: authorization }),
          Expect: '100-continue',
          ...headers,
        }),
      );
      const reply = await wire.next();
      expect([reply.status, reply.headers.connection]).toEqual([status, 'close']);
      expect(String(await wire.ended())).toBe('');
    },
  );

  test('an unknown expectation is ignored', async () => {
    const key = await bellhop.newKey('sandbox');
    const reply = await call(sandbox(), { ...key, headers: { expect: 'a miracle' } });
    expect(reply.status).toBe(200);
  });
});

describe('pipelined requests', () => {
  test('are answered in order, including refused ones', async () => {
    const key = await bellhop.newKey('sandbox');
    const get = head(`GET ${OVERVIEW_PATH}`, { Authorization: key.authorization });
    const missing = head('GET /nothing', { Authorization: key.authorization });
    const post = `${head(`POST ${OVERVIEW_PATH}`, { Authorization: key.authorization, 'Content-Length': '3' })}abc`;
    const wire = await openWire(sandbox());
    wire.write(get + missing + post + head(`GET ${OVERVIEW_PATH}`) + get);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await wire.next()).status);
    expect(statuses).toEqual([200, 404, 200, 401, 200]);
    wire.socket.destroy();
  });

  test('invalid HTTP is answered after the requests before it', async () => {
    const key = await bellhop.newKey('sandbox');
    const get = head(`GET ${OVERVIEW_PATH}`, { Authorization: key.authorization });
    for (const [wrong, status] of [
      ['GARBAGE\r\n\r\n', 400],
      ['CONNECT bellhop.test:1 HTTP/1.1\r\nHost: bellhop.test\r\n\r\n', 405],
    ] as const) {
      const wire = await openWire(sandbox());
      wire.write(get + get + wrong);
      const statuses: number[] = [];
      for (let i = 0; i < 3; i++) statuses.push((await wire.next()).status);
      expect(statuses).toEqual([200, 200, status]);
      expect(String(await wire.ended())).toBe('');
    }
  });

  test('respect the limit, even 100 at once', async () => {
    const key = await bellhop.newKey('sandbox');
    const path = `/support/v1/sandbox/keys/${key.keyId}/endpoints`;
    await bellhop.support('PUT', path, {
      endpoint: 'api/b2b/v3/overview/',
      requests_number: 10,
      seconds_number: 600,
    });
    const wire = await openWire(sandbox());
    wire.write(head(`GET ${OVERVIEW_PATH}`, { Authorization: key.authorization }).repeat(100));
    const statuses: number[] = [];
    for (let i = 0; i < 100; i++) statuses.push((await wire.next()).status);
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(90).fill(429)]);
    wire.socket.destroy();
  });
});

test('a requested upgrade is ignored', async () => {
  const key = await bellhop.newKey('sandbox');
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  expect((await call(sandbox(), { ...key, headers })).status).toBe(200);
  const h2c = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMA' };
  expect((await call(sandbox(), { ...key, headers: h2c })).status).toBe(200);
});

test('a CONNECT whose caller resets the connection at once does no harm', async () => {
  const key = await bellhop.newKey('sandbox');
  for (let n = 0; n < 20; n++) {
    const wire = await openWire(sandbox());
    await new Promise<unknown>((resolve) =>
      wire.socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', resolve),
    );
    await new Promise((resolve) => setTimeout(resolve, n % 4));
    wire.socket.resetAndDestroy();
  }
  expect((await call(sandbox(), key)).status).toBe(200);
});

test('a caller that stops sending after its requests gets their replies', async () => {
  const key = await bellhop.newKey('sandbox');
  const wire = await openWire(sandbox());
  const signedIn = head(`GET ${OVERVIEW_PATH}`, { Authorization: key.authorization });
  wire.socket.end(signedIn + head(`GET ${OVERVIEW_PATH}`) + signedIn);
  const replies: Reply[] = [];
  while (replies.length < 3) {
    const reply = await wire.next();
    // Whether the caller is still there may be asked by a 100.
    if (reply.status !== 100) replies.push(reply);
  }
  expect(replies.map(({ status }) => status)).toEqual([200, 401, 200]);
  expect(replies.map(({ json }) => json.status)).toEqual(['ok', 'error', 'ok']);
  expect(String(await wire.ended())).toBe('');
  const unfinished = await openWire(sandbox());
  unfinished.socket.end(`GET ${OVERVIEW_PATH}`);
  expectRefusal(await unfinished.next(), 400, 'malformed_request', { real_ip: '127.0.0.1' });
});

test('a caller that hangs up in the middle of a request does no harm', async () => {
  const key = await bellhop.newKey('sandbox');
  const wires = await Promise.all(
    [
      'GET /api',
      head(`POST ${OVERVIEW_PATH}`, { Authorization: key.authorization, 'Content-Length': '9' }),
      head(`GET ${OVERVIEW_PATH}`, { Authorization: key.authorization }),
    ].map(async (bytes) => {
      const wire = await openWire(sandbox());
      await new Promise<unknown>((resolve) => wire.socket.write(bytes, resolve));
      return wire;
    }),
  );
  for (const wire of wires) wire.socket.resetAndDestroy();
  expect((await call(sandbox(), key)).status).toBe(200);
});

function numbered(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`Header-${i}`, 'x']));
}
