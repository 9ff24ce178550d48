import { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InterimReplies } from './interim-replies.ts';

const INTERIM = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.0 100 \r\n\r\n',
  'HTTP/1.1 102 Processing\r\nA: b\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nLink: </b>\r\n\r\n',
];
/** Heads that undici must judge itself, valid or not. */
const REAL = [
  `HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n${INTERIM[0]}`,
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n',
  'HTTP/1.1 1xx\r\n\r\n',
  'SSH-2.0-OpenSSH_9.9\r\n',
  'hi',
];

/** The bytes read from a connection on which these chunks arrive after a request. */
function readAfter(chunks: string[]): { text: string; socket: Socket } {
  const arriving = chunks.map((chunk) => Buffer.from(chunk, 'latin1'));
  const socket = new Socket();
  socket.on('error', () => {});
  socket.read = () => arriving.shift() ?? null;
  const interim = new InterimReplies();
  interim.filter(socket);
  interim.expectReply();
  let text = '';
  // Like undici: until nothing is left.
  for (let bytes = socket.read(); bytes !== null; bytes = socket.read()) text += bytes;
  return { text, socket };
}

function cut(text: string, places: number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort(
    (a, b) => a - b,
  );
  return at
    .slice(1)
    .map((end, i) => text.slice(at[i], end))
    .filter((chunk) => chunk !== '');
}

test('removes interim replies and nothing else, however the bytes are split into packets', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...INTERIM), { maxLength: 4 }),
      fc.constantFrom(...REAL),
      fc.array(fc.nat(), { maxLength: 6 }),
      (before, real, places) => {
        const { text } = readAfter(cut(before.join('') + real, places));
        expect(text).toBe(real);
      },
    ),
  );
});

test('closes the connection after too many interim replies or an endless one', () => {
  const many = (count: number) => [String(INTERIM[0]).repeat(count), String(REAL[0])];
  expect(readAfter(many(16)).text).toBe(REAL[0]);
  const flood = readAfter(many(17));
  expect([flood.text, flood.socket.destroyed]).toEqual(['', true]);
  const endless = readAfter(['HTTP/1.1 103 Early Hints\r\nA: ', 'a'.repeat(20_000)]);
  expect([endless.text, endless.socket.destroyed]).toEqual(['', true]);
});

test('one that is too long breaks the connection off, also if it comes in one packet', () => {
  const long = readAfter([
    `HTTP/1.1 103 Early Hints\r\nA: ${'a'.repeat(16_384)}\r\n\r\n${REAL[0]}`,
  ]);
  expect([long.text, long.socket.destroyed]).toEqual(['', true]);
});
