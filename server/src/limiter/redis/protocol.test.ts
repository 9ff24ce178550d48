import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeCommand,
  LARGEST_REPLY_BYTES,
  RedisRefusal,
  type Reply,
  ReplyReader,
} from './protocol.ts';

/** What is read from these pieces. */
function read(...pieces: string[]): Reply[] {
  const reader = new ReplyReader();
  const replies: Reply[] = [];
  for (const piece of pieces) {
    reader.read(Buffer.from(piece, 'latin1'), (reply) => replies.push(reply));
  }
  return replies;
}

describe('a command', () => {
  test('is a list of strings, each with its length', () => {
    expect(encodeCommand(['GET', 'a key', ''])).toBe(
      '*3\r\n$3\r\nGET\r\n$5\r\na key\r\n$0\r\n\r\n',
    );
  });

  test('counts bytes, not characters', () => {
    const command = encodeCommand(['AUTH', 'pässword']);
    expect(command).toContain('$9\r\n');
    expect(Buffer.from(command, 'latin1').toString()).toContain('pässword');
  });
});

describe('a reply', () => {
  test.each<[string, Reply]>([
    ['+OK\r\n', 'OK'],
    ['+\r\n', ''],
    [':1700000000000001\r\n', 1_700_000_000_000_001],
    [':-2\r\n', -2],
    ['$4\r\na\r\nb\r\n', 'a\r\nb'],
    ['$0\r\n\r\n', ''],
    ['$-1\r\n', null],
    ['*-1\r\n', null],
    ['*0\r\n', []],
    ['*4\r\n$1\r\ng\r\n:1\r\n$-1\r\n+x\r\n', ['g', 1, null, 'x']],
  ])('%j', (text, reply) => {
    expect(read(text)).toEqual([reply]);
  });

  test('may be a refusal, alone or in a list', () => {
    const [alone, list] = read('-NOSCRIPT No matching script.\r\n', '*1\r\n-ERR no\r\n');
    expect(alone).toEqual(new RedisRefusal('NOSCRIPT No matching script.'));
    expect(list).toEqual([new RedisRefusal('ERR no')]);
  });

  test('is the same in whatever pieces it arrives', () => {
    const single = fc.oneof(
      fc.integer().map((number) => `:${number}\r\n`),
      fc.string({ unit: 'binary-ascii' }).map((text) => `$${text.length}\r\n${text}\r\n`),
      fc.constantFrom('+OK\r\n', '-ERR no\r\n', '$-1\r\n'),
    );
    const list = fc.array(single).map((replies) => `*${replies.length}\r\n${replies.join('')}`);
    const replies = fc.array(fc.oneof(single, list), { minLength: 1 });
    fc.assert(
      fc.property(replies, fc.array(fc.nat(200)), (texts, cuts) => {
        const whole = texts.join('');
        const pieces = [];
        let rest = whole;
        for (const cut of cuts) {
          pieces.push(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        expect(read(...pieces, rest)).toEqual(texts.flatMap((text) => read(text)));
      }),
    );
  });

  test.each(['$', '$5\r', '$5\r\nab', '*2\r\n:1\r\n', '*1000000000\r\n', ':12', '+O', '-', ':-'])(
    'that has not arrived is waited for: %j',
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  test.each([
    'HTTP/1.1 400 Bad Request\r\n',
    ':\r\n',
    ':1x\r\n',
    ':-\r\n',
    ':1.5\r\n',
    ':1\rx',
    '$-2\r\n',
    '$2\r\nabc\r\n',
    `$${LARGEST_REPLY_BYTES + 1}\r\n`,
    '*-2\r\n',
    // Redis nests lists, but none that we ask for.
    '*1\r\n*1\r\n:1\r\n',
    '\r\n',
  ])('that is not one is an error: %j', (text) => {
    expect(() => read(text)).toThrow('it does not speak the protocol of Redis');
  });

  test.each(['+', ':1\r\n'.repeat(1_000).replace(/^/, '*1000000\r\n')])(
    'that goes on and on is an error: %.12j',
    (begin) => {
      const reader = new ReplyReader();
      const more = Buffer.from(
        begin.startsWith('+') ? 'x'.repeat(65_536) : ':1\r\n'.repeat(16_384),
      );
      reader.read(Buffer.from(begin), () => {});
      let read = 0;
      expect(() => {
        for (; read < 2 * LARGEST_REPLY_BYTES; read += more.length) reader.read(more, () => {});
      }).toThrow('its reply has no end');
    },
  );
});
