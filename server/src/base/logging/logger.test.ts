import { expect, onTestFinished, test, vi } from 'vitest';
import { createLogger, type LogLevel, logLevels } from './logger.ts';

function open(level: LogLevel = 'debug') {
  const lines: string[] = [];
  return {
    log: createLogger(level, (line) => lines.push(line)),
    // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it expects.
    written: (): any[] => lines.map((line) => JSON.parse(line)),
    lines,
  };
}

test('writes a line of JSON: level, time, fields, message', () => {
  const { log, lines } = open();
  log.warn({ status: 500, reason: undefined, next: null }, 'the "alert" was refused');
  expect(lines).toEqual([
    expect.stringMatching(
      /^\{"level":"warn","time":"\d{4}-\d\d-\d\dT[\d:.]+Z","status":500,"next":null,"msg":"the \\"alert\\" was refused"\}\n$/,
    ),
  ]);
});

test('writes a message without fields', () => {
  const { log, written } = open();
  log.warn('The database can be written to again.');
  expect(written()).toMatchObject([
    { level: 'warn', msg: 'The database can be written to again.' },
  ]);
});

test('another level counts for all loggers made of it, at once', () => {
  const { log, written } = open('warn');
  const child = log.child({ part: 'a' });
  const write = () => {
    for (const one of [log, child]) one.info('seen');
    log.infoJson('"n":1');
  };
  write();
  expect(written()).toEqual([]);
  log.setLevel('info');
  write();
  expect(written()).toHaveLength(3);
  log.setLevel('silent');
  write();
  child.error('unseen');
  expect(written()).toHaveLength(3);
});

test.each(logLevels)('at level %s, writes no less severe lines', (level) => {
  const { log, written } = open(level);
  log.debug('x');
  log.info('x');
  log.infoJson('"msg":"x"');
  log.warn('x');
  log.error('x');
  const all = ['debug', 'info', 'info', 'warn', 'error'];
  const first = all.indexOf(level);
  expect(written().map((line) => line.level)).toEqual(first === -1 ? [] : all.slice(first));
});

test('children add their fields to those of their parents', () => {
  const { log, written } = open();
  const child = log.child({ environment: 'sandbox' }).child({ midoffice: 'mid_1' });
  child.info({ status: 200 }, 'attempt');
  log.info('parent');
  expect(written()[0]).toMatchObject({ environment: 'sandbox', midoffice: 'mid_1', status: 200 });
  expect(written()[1]).not.toHaveProperty('environment');
});

test('accepts fields that are already JSON', () => {
  const { log, written } = open('info');
  log.infoJson('"status":200,"msg":"request"');
  expect(written()).toEqual([
    { level: 'info', time: expect.any(String), status: 200, msg: 'request' },
  ]);
});

test('writes an error with its class, stack, code and causes', () => {
  const { log, written } = open();
  const refused = Object.assign(new RangeError('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  log.warn({ err: new Error('no answer', { cause: refused }) }, 'away');
  log.warn({ err: refused }, 'away');
  const [{ err: outer }, { err: inner }] = written();
  expect(outer).toMatchObject({ type: 'Error', message: 'no answer: connect ECONNREFUSED' });
  expect(outer.stack).toMatch(/^Error: no answer\n[\s\S]*\ncaused by: RangeError: connect/);
  expect(inner).toMatchObject({ type: 'RangeError', code: 'ECONNREFUSED' });
});

test('writes each error of an AggregateError', () => {
  const { log, written } = open();
  log.error({ err: new AggregateError([new Error('one'), new TypeError('two')], 'both') }, 'x');
  expect(written()[0].err).toMatchObject({
    type: 'AggregateError',
    message: 'both',
    aggregateErrors: [{ message: 'one' }, { type: 'TypeError', message: 'two' }],
  });
});

test('leaves out objects attached to an error, which may hold a secret', () => {
  const { log, lines } = open();
  const request = { headers: { authorization: 'Bearer hunter2' } };
  log.error({ err: Object.assign(new Error('refused'), { request, status: 500 }) }, 'x');
  expect(lines[0]).not.toMatch(/hunter2/);
  expect(lines[0]).toMatch(/"status":500/);
});

test('writes a line for any fields', () => {
  const { log, written } = open();
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const causedByItself = new Error('round');
  causedByItself.cause = causedByItself;
  const throwing = {
    toJSON() {
      throw new Error('no');
    },
  };
  log.warn({ circular, causedByItself, throwing, count: 3n, name: 'kept' }, 'still written');
  expect(written()).toMatchObject([
    {
      circular: expect.stringMatching(/could not be written/),
      causedByItself: { message: 'round' },
      throwing: expect.stringMatching(/could not be written/),
      count: 3,
      name: 'kept',
      msg: 'still written',
    },
  ]);
});

test('counts the lines of a flood instead of writing them', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { log, written } = open();
  const fail = (n: number) =>
    log.error({ request_id: `r${n}`, err: new Error('no answer') }, 'request fault');
  for (let n = 0; n < 1_000; n++) fail(n);
  log.error({ err: new Error('another') }, 'request fault');
  log.child({ environment: 'sandbox' }).error({ err: new Error('no answer') }, 'request fault');
  expect(written().map(({ request_id }) => request_id)).toEqual([
    'r0',
    'r1',
    'r2',
    undefined,
    undefined,
  ]);
  vi.advanceTimersByTime(10_000);
  expect(written().slice(5)).toEqual([
    {
      level: 'error',
      time: expect.any(String),
      err: { type: 'Error', message: 'no answer' },
      repeated: 997,
      msg: 'request fault',
    },
  ]);
  // As long as it lasts, there is only the number.
  for (let n = 0; n < 100; n++) fail(n);
  vi.advanceTimersByTime(10_000);
  expect(written().slice(6)).toMatchObject([{ repeated: 100 }]);
  // Once it has ended, the next one is news.
  vi.advanceTimersByTime(10_000);
  fail(1);
  expect(written().slice(7)).toMatchObject([{ request_id: 'r1' }]);
});

test('writes different lines, and more than it can count, as they are', () => {
  const { log, lines } = open();
  for (let n = 0; n < 5_000; n++) log.warn({ real_ip: `10.0.0.${n}` }, 'refused');
  expect(lines).toHaveLength(5_000);
  const long = 'x'.repeat(3_000);
  for (let n = 0; n < 10; n++) log.warn({ long }, 'refused');
  expect(lines).toHaveLength(5_010);
  for (let n = 0; n < 10; n++) log.info({ status: 500 }, 'attempt');
  expect(lines).toHaveLength(5_020);
});
