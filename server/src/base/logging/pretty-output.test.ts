import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLogger } from './logger.ts';
import type { LogOutput } from './output.ts';
import { type Paint, prettyLine, prettyOutput } from './pretty-output.ts';

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

const time = new Date(2026, 0, 31, 12, 0, 0, 7).toISOString();

function pretty(fields: object): string {
  return prettyLine(JSON.stringify({ level: 'info', time, ...fields }), plain);
}

describe('a line for people', () => {
  test('begins with time, level, environment and what happened', () => {
    expect(pretty({ environment: 'sandbox', reason: 'no answer', tries: 2, msg: 'retrying' })).toBe(
      '12:00:00.007  info   sandbox  retrying  reason="no answer" tries=2',
    );
  });

  test('shows a call by method, path and status, without ids that nobody reads', () => {
    const call = {
      environment: 'production',
      request_id: '0'.repeat(32),
      method: 'GET',
      path: 'api/b2b/v3/overview/',
      status: 429,
      real_ip: '127.0.0.1',
      error: 'endpoint_exceeded_limit',
      key_id: '8095346453',
      partner_id: 'p',
      duration_ms: 0.4,
      msg: 'request',
    };
    expect(pretty(call)).toBe(
      '12:00:00.007  info   production  GET api/b2b/v3/overview/ 429  error=endpoint_exceeded_limit key_id=8095346453 duration_ms=0.4',
    );
  });

  test.each([
    [{ attempt: 1, outcome: 'delivered', status: 200 }, 'webhook attempt 1 delivered 200'],
    [{ attempt: 2, outcome: 'failed', status: null }, 'webhook attempt 2 failed'],
  ])('shows an attempt by its outcome: %j', (attempt, words) => {
    expect(pretty({ ...attempt, msg: 'attempt' })).toBe(`12:00:00.007  info   ${words}`);
  });

  test('shows an error with its causes, one frame per line', () => {
    let line = '';
    const log = createLogger('info', (written) => {
      line = written;
    });
    const cause = new Error('the disk is full');
    log.error({ err: new TypeError('not saved', { cause }), key: 7 }, 'fault');
    const [first, message, ...frames] = prettyLine(line.trimEnd(), plain).split('\n');
    expect(first).toMatch(/ error {2}fault {2}key=7$/);
    expect(message).toBe('    TypeError: not saved: the disk is full');
    expect(frames[0]).toMatch(/^ {6}at .*pretty-output\.test\.ts/);
    expect(frames).toContain('      caused by: Error: the disk is full');
  });

  test('is coloured by its level', () => {
    const paint: Paint = (colour, text) => `<${colour}>${text}</>`;
    const line = JSON.stringify({ level: 'warn', time, msg: 'slow' });
    expect(prettyLine(line, paint)).toBe('<dim>12:00:00.007</>  <yellow>warn </>  slow');
  });
});

test('no text from outside can move the cursor or break the line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      const line = pretty({ path: one, [other]: one, environment: other, msg: one });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
      return !/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/.test(line);
    }),
  );
});

test('a text that is not a log line stays as it is, except for control characters', () => {
  expect(prettyLine('Bellhop stops.\u001b[2J', plain)).toBe('Bellhop stops.\\u{1b}[2J');
  expect(prettyLine('null', plain)).toBe('null');
});
