import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BROKEN_REPLY,
  HEAD_TOO_LONG,
  HTTP2_ONLY,
  HTTPS_ONLY,
  NOT_HTTP,
  RESET,
  TOO_MANY_HINTS,
} from './failure.ts';
import { BadReply, ReplyReader } from './reply-reader.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const SETTINGS = '\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64';
const TLS_ALERT = '\x15\x03\x03\x00\x02\x02\x32';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

/** The result of reading these pieces; `end` if the connection ends after them. */
function read(pieces: readonly (string | Buffer)[], { end = false } = {}) {
  const reader = new ReplyReader();
  try {
    let isWhole = false;
    for (const piece of pieces) {
      isWhole = reader.read(Buffer.from(piece as string, 'latin1'));
      if (isWhole) break;
    }
    if (end && !isWhole) reader.end();
    const { status, replyExcerpt, idleMs } = reader;
    return { isWhole: isWhole || end, status, replyExcerpt, idleMs };
  } catch (error) {
    if (error instanceof BadReply) return error.failure;
    throw error;
  }
}

describe('a reply is complete', () => {
  test.each([
    ['by its length', `${OK}Content-Length: 3\r\n\r\nabc`, 'abc'],
    ['by a length of zero', `${OK}content-length: 0\r\n\r\n`, ''],
    ['by its status', 'HTTP/1.1 204 No Content\r\n\r\n', ''],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\na', 'a'],
    ['by its last chunk', `${CHUNKED}3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n`, 'abc0123456789'],
    ['with chunk extensions', `${CHUNKED}3;a=b\r\nabc\r\n0 ;c\r\n\r\n`, 'abc'],
    ['with a trailer', `${CHUNKED}3\r\nabc\r\n0\r\nx-a: b\r\nx-c: d\r\n\r\n`, 'abc'],
    ['with a header on two lines', `${OK}x-a: b\r\n c\r\ncontent-length: 1\r\n\r\nx`, 'x'],
  ])('%s', (_, reply, replyExcerpt) => {
    expect(read([reply])).toMatchObject({ isWhole: true, replyExcerpt, idleMs: 4_000 });
    expect(read([reply.slice(0, -1)])).toMatchObject({ isWhole: false });
    expect(read([reply.slice(0, -1)], { end: true })).toEqual(RESET);
  });

  test('at the end of the connection, which cannot be used again', () => {
    for (const head of [OK, 'HTTP/1.0 200 OK\r\n', `${OK}transfer-encoding: gzip\r\n`]) {
      expect(read([`${head}\r\nabc`])).toMatchObject({ isWhole: false });
      expect(read([`${head}\r\nabc`], { end: true })).toEqual({
        isWhole: true,
        status: 200,
        replyExcerpt: 'abc',
        idleMs: 0,
      });
    }
  });

  test('however it is split into pieces', () => {
    const replies = [
      `HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 10\r\n\r\n0123456789`,
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${CHUNKED}4;x\r\nabcd\r\n1\r\ne\r\n0\r\na: b\r\n\r\n`,
      'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...replies),
        fc.array(fc.nat({ max: 120 }), { maxLength: 20 }),
        (reply, cuts) => {
          const at = [0, ...cuts.sort((a, b) => a - b), reply.length];
          const pieces = at.slice(1).map((until, i) => reply.slice(at[i], until));
          expect(read(pieces)).toEqual(read([reply]));
          expect(read([...reply])).toEqual(read([reply]));
        },
      ),
    );
  });

  test('any bytes give an outcome, and no unexpected error', () => {
    const crumbs = fc.constantFrom(
      ...[
        'HTTP/1.1 ',
        '200',
        '103',
        ' OK',
        '\r\n',
        '\n',
        '\r\n\r\n',
        'content-length: ',
        '5',
        ': ',
      ],
      ...['transfer-encoding: chunked', '0', 'ffffffff', ';', 'a:b', '\0', 'connection: close'],
    );
    const text = fc.array(fc.oneof({ weight: 5, arbitrary: crumbs }, fc.string()));
    fc.assert(
      fc.property(text, (parts) => {
        expect(read([parts.join('')], { end: true })).toBeDefined();
        expect(read(parts, { end: true })).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
  });
});

test('a header full of spaces is read quickly', () => {
  // In quadratic time, each of these would take seconds.
  const spaces = ' '.repeat(16_000);
  for (let n = 0; n < 200; n++) {
    expect(read([`${OK}a:x${spaces}y\r\ncontent-length: 0\r\n\r\n`])).toMatchObject({
      status: 200,
    });
  }
});

describe('the connection afterwards', () => {
  const idleMsOf = (head: string) => {
    const outcome = read([`${head}content-length: 0\r\n\r\n`]);
    return 'idleMs' in outcome ? outcome.idleMs : undefined;
  };
  test.each([
    [OK, 4_000],
    [`${OK}connection: keep-alive\r\nkeep-alive: timeout=5, max=100\r\n`, 4_000],
    [`${OK}keep-alive: timeout=60\r\n`, 30_000],
    [`${OK}keep-alive: timeout=1\r\n`, 0],
    [`${OK}connection: x, Close\r\n`, 0],
    [`${OK}connection: x\r\nconnection: close\r\n`, 0],
    ['HTTP/1.0 200 OK\r\n', 0],
    ['HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\n', 4_000],
  ])('%j may stay idle for %i ms', (head, idleMs) => {
    expect(idleMsOf(head)).toBe(idleMs);
  });

  test.each([300, 304, 404, 500])('is closed after %i', (status) => {
    expect(idleMsOf(`HTTP/1.1 ${status} x\r\n`)).toBe(0);
  });

  test('is closed if bytes follow the reply', () => {
    const reply = `${OK}content-length: 1\r\n\r\na`;
    expect(read([`${reply}HTTP/1.1 200 OK\r\n`])).toMatchObject({ isWhole: true, idleMs: 0 });
  });
});

describe('a reply is abandoned because of', () => {
  const lines = (n: number) => 'a:b\r\n'.repeat(n);
  const BIG = 10_000_000;
  test.each([
    ['something else', 'SSH-2.0-OpenSSH_9.9\r\n', NOT_HTTP],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n', NOT_HTTP],
    ['an HTTP/2 frame of settings', `${SETTINGS}\r\n\r\n`, HTTP2_ONLY],
    ['a TLS alert', `${TLS_ALERT}\r\n\r\n`, HTTPS_ONLY],
    ['a status of two digits', 'HTTP/1.1 20\r\n\r\n', NOT_HTTP],
    ['tiny header lines without end', `${OK}${lines(BIG / 5)}`, HEAD_TOO_LONG],
    ['129 header lines', `${OK}${lines(129)}\r\n`, HEAD_TOO_LONG],
    ['one endless header', `${OK}a: ${'b'.repeat(BIG)}`, HEAD_TOO_LONG],
    ['1xx replies without end', 'HTTP/1.1 103 a\r\n\r\n'.repeat(1_000), TOO_MANY_HINTS],
    [
      'long 1xx replies',
      `HTTP/1.1 103 a\r\na: ${'b'.repeat(9_000)}\r\n\r\n`.repeat(2),
      HEAD_TOO_LONG,
    ],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n', BROKEN_REPLY],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 1\r\n\r\na`, BROKEN_REPLY],
    ['a length and chunks', `${CHUNKED.slice(0, -2)}content-length: 1\r\n\r\n`, BROKEN_REPLY],
    ['a length that is not a number', `${OK}content-length: 1x\r\n\r\na`, BROKEN_REPLY],
    [
      'a length that continues on the next line',
      `${OK}content-length: 1\r\n 2\r\n\r\na`,
      BROKEN_REPLY,
    ],
    ['a header without a name', `${OK}: b\r\n\r\n`, BROKEN_REPLY],
    ['a space before the colon', `${OK}content-length : 1\r\n\r\na`, BROKEN_REPLY],
    ['a bare line feed', `${OK}a: b\ncontent-length: 1\r\n\r\na`, BROKEN_REPLY],
    ['an invalid chunk size', `${CHUNKED}x\r\n`, BROKEN_REPLY],
    ['a negative chunk size', `${CHUNKED}-1\r\n`, BROKEN_REPLY],
    ['an endless chunk extension', `${CHUNKED}1;${'x'.repeat(BIG)}`, BROKEN_REPLY],
    ['a chunk longer than it says', `${CHUNKED}1\r\nabc`, BROKEN_REPLY],
    ['trailers without end', `${CHUNKED}0\r\n${lines(BIG / 5)}`, BROKEN_REPLY],
  ])('%s', (_, reply, failure) => {
    expect(read([reply])).toEqual(failure);
    const pieces = reply.match(/.{1,1000}/gs) ?? [];
    expect(read(pieces)).toEqual(failure);
  });

  test.each([
    ['by its length', `${OK}content-length: ${BIG}\r\n\r\n${'x'.repeat(BIG)}`],
    ['in one chunk', `${CHUNKED}ffffff\r\n${'x'.repeat(BIG)}`],
    ['in crumbs', `${CHUNKED}${'1\r\nx\r\n'.repeat(BIG / 6)}`],
    ['until the connection ends', `${OK}\r\n${'x'.repeat(BIG)}`],
  ])('too long a body, %s: its status counts', (_, reply) => {
    const pieces = reply.match(/.{1,16384}/gs) ?? [];
    const { idleMs, replyExcerpt, ...rest } = read(pieces) as ReturnType<typeof Object>;
    expect(rest).toEqual({ isWhole: true, status: 200 });
    expect(idleMs).toBe(0);
    expect(replyExcerpt.length).toBeGreaterThan(900);
  });
});

test.each(['constructor', '__proto__', 'x-a'])(
  'a header named %s says nothing about where the reply ends',
  (name) => {
    expect(read([`${OK}${name}: b\r\n c\r\ncontent-length: 1\r\n\r\nx`])).toMatchObject({
      isWhole: true,
      replyExcerpt: 'x',
    });
  },
);

describe('the outcome is the same whole and byte by byte', () => {
  test.each([
    ['the longest chunk line', `${CHUNKED}1;${'x'.repeat(254)}\r\na\r\n0\r\n\r\n`],
    ['a chunk line one byte too long', `${CHUNKED}1;${'x'.repeat(255)}\r\na\r\n0\r\n\r\n`],
    ['the longest trailer', `${CHUNKED}0\r\na:${'x'.repeat(4_094)}\r\n\r\n`],
    ['a trailer one byte too long', `${CHUNKED}0\r\na:${'x'.repeat(4_095)}\r\n\r\n`],
    ['a long text that is not HTTP', `SSH-2.0-${'x'.repeat(20_000)}`],
    ['an HTTP/2 frame of settings', SETTINGS],
    ['another HTTP/2 frame', SETTINGS.replace('\x04', '\x06')],
    ['an alert of TLS', TLS_ALERT],
    ['the beginning of one', TLS_ALERT.slice(0, 4)],
    ['another record of TLS', TLS_ALERT.replace('\x15', '\x16')],
  ])('%s', (_, reply) => {
    expect(read([...reply], { end: true })).toEqual(read([reply], { end: true }));
  });
});
