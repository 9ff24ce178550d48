import { expect, test } from 'vitest';
import type { LogOutput } from './output.ts';
import { type Paint, prettyOutput } from './pretty-output.ts';

const plain: Paint = (_, text) => text;
const line = (msg: string) =>
  `${JSON.stringify({ level: 'info', time: '2026-01-31T12:00:00Z', msg })}\n`;

/** A terminal that takes so many bytes at each write; -1 is an error. */
function terminal(...rooms: number[]) {
  let text = '';
  const output: LogOutput = {
    write(bytes, done) {
      const room = rooms.shift() ?? bytes.length;
      text += Buffer.from(bytes.subarray(0, Math.max(room, 0))).toString();
      queueMicrotask(() =>
        room < 0 ? done(new Error('EAGAIN'), 0) : done(null, Math.min(room, bytes.length)),
      );
    },
    writeAtExit(bytes) {
      text += Buffer.from(bytes).toString();
    },
  };
  return { output: prettyOutput(output, plain), text: () => text };
}

function write(output: LogOutput, text: string): Promise<[Error | null, number]> {
  return new Promise((resolve) => {
    output.write(Buffer.from(text), (error, written) => resolve([error, written]));
  });
}

const words = (text: string) => text.match(/\w+(?=\n)/g);

test('writes every line once, however little the terminal takes at a time', async () => {
  const { output, text } = terminal(1, 5, 30);
  const lines = line('one') + line('two');
  expect(await write(output, lines)).toEqual([null, Buffer.byteLength(lines)]);
  expect(words(text())).toEqual(['one', 'two']);
  expect(text()).toMatch(/^\d\d:00:00\.000 {2}info {3}one\n\d\d:00:00\.000 {2}info {3}two\n$/);
});

test('continues after a failure where it stopped', async () => {
  const { output, text } = terminal(25, -1);
  const lines = line('one') + line('two');
  expect(await write(output, lines)).toEqual([expect.any(Error), 0]);
  expect(await write(output, lines)).toEqual([null, Buffer.byteLength(lines)]);
  expect(await write(output, line('three'))).toMatchObject([null, expect.any(Number)]);
  expect(words(text())).toEqual(['one', 'two', 'three']);
});

test('writes the last lines at the exit in the same form', () => {
  const { output, text } = terminal();
  output.writeAtExit(Buffer.from(line('bye')), false);
  expect(text()).toMatch(/info {3}bye\n$/);
});
