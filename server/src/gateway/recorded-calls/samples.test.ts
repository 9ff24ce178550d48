import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { refusedCall } from '../../../testing/recorded-calls.ts';
import type { RecordedCall } from './recorded-call.ts';
import { CallSamples, MOST_KINDS, OF_A_CALLER, OF_A_NODE, STRANGERS } from './samples.ts';

const MINUTE = 60_000;
const IN_A_MINUTE = OF_A_CALLER.atOnce + OF_A_CALLER.perMinute;

function samplesWith(bounds: { mostLines?: number; mostCallers?: number } = {}) {
  const clock = new ManualClock(0);
  const counts = { sampled: 0, dropped: 0 };
  const samples = new CallSamples(clock, {
    ...bounds,
    onSampled: () => counts.sampled++,
    onDropped: () => counts.dropped++,
  });
  const note = (caller: string, kind: string, times = 1) => {
    const [code = '', endpoint = null] = kind.split(' ');
    for (let i = 0; i < times; i++) {
      const signed_in = caller === STRANGERS ? 0 : 1;
      const lineOf = () =>
        refusedCall({ at: clock.now(), key_id: caller, code, endpoint, signed_in });
      if (caller === STRANGERS) samples.noteStranger(caller, kind, lineOf);
      else samples.note(caller, kind, lineOf);
    }
  };
  const written: RecordedCall[] = [];
  /** As the recorder does every second. */
  const write = () => {
    samples.giveTurns();
    for (let lines = samples.take(100); lines.length > 0; lines = samples.take(100)) {
      samples.release(lines);
      written.push(...lines);
    }
  };
  const rest = () => {
    samples.giveAllTurns();
    write();
  };
  return { clock, samples, counts, note, write, rest, written };
}

const standFor = (lines: readonly RecordedCall[]) =>
  lines.reduce((sum, line) => sum + line.sampled_from, 0);

/** So many calls of a caller, spread over a minute and a few kinds. */
function minuteOf(calls: number, kinds: number) {
  const { clock, note, write, written, rest, samples } = samplesWith();
  const aSecond = calls / 60;
  for (let second = 0; second < 60; second++) {
    const until = Math.round((second + 1) * aSecond);
    for (let i = Math.round(second * aSecond); i < until; i++) note('1', `429 ${i % kinds}`);
    clock.advance(1_000);
    write();
  }
  const lines = written.length;
  const inMemory = samples.lines;
  rest();
  return { lines, inMemory, calls: standFor(written) };
}

test('a hundred refusals in a minute have a line each', () => {
  const { lines, inMemory } = minuteOf(100, 1);
  expect(lines + inMemory).toBeGreaterThanOrEqual(99);
});

test.each([1, 43])('a million of %i kinds are no more lines, and all of them counted', (kinds) => {
  const { lines, inMemory, calls } = minuteOf(1_000_000, kinds);
  expect(lines).toBeLessThanOrEqual(IN_A_MINUTE);
  expect(inMemory).toBeLessThanOrEqual(kinds);
  expect(calls).toBe(1_000_000);
});

test('one line stands for all calls of its kind since the last one', () => {
  const { clock, note, write, written } = samplesWith();
  note('1', '429 hp/', OF_A_CALLER.atOnce);
  write();
  expect(written.every(({ sampled_from }) => sampled_from === 1)).toBe(true);
  note('1', '429 hp/', 1_000);
  clock.advance(5_999);
  write();
  expect(written).toHaveLength(OF_A_CALLER.atOnce);
  clock.advance(1);
  write();
  expect(written.at(-1)).toMatchObject({ at: 0, sampled_from: 1_000 });
});

test('a flood of one kind does not hide another', () => {
  const { clock, note, write, written } = samplesWith();
  note('1', '429 hp/', 10_000);
  note('1', '502 booking/');
  for (let second = 0; second < 12; second++) {
    clock.advance(1_000);
    note('1', '429 hp/', 1_000);
    write();
  }
  expect(written.filter(({ code }) => code === '502')).toHaveLength(1);
});

test('a caller that floods takes nothing away from another, or from strangers', () => {
  const { note, write, written } = samplesWith();
  note('1', '429 hp/', 100_000);
  note('2', '429 hp/', 3);
  note(STRANGERS, '401 192.0.2.1', 3);
  write();
  expect(written.filter(({ key_id }) => key_id === '2')).toHaveLength(3);
  expect(written.filter(({ key_id }) => key_id === STRANGERS)).toHaveLength(3);
});

test('strangers from everywhere are one caller', () => {
  const { note, counts, samples } = samplesWith();
  for (let address = 0; address < 100_000; address++) note(STRANGERS, `401 ${address}`);
  expect(samples.lines).toBe(OF_A_CALLER.atOnce + MOST_KINDS + 1);
  expect(counts).toEqual({ sampled: 100_000 - samples.lines, dropped: 0 });
});

test('those who did not sign in take at most half of the memory', () => {
  const { clock, note, samples, written, write, rest } = samplesWith({ mostLines: 100 });
  const tried = (times: number) => {
    for (let one = 0; one < times; one++) {
      samples.noteStranger(`${one} without API key`, '401 192.0.2.1', () =>
        refusedCall({ at: clock.now(), signed_in: 0 }),
      );
    }
  };
  tried(1_000);
  expect(samples.lines).toBe(50);
  for (let key = 0; key < 50; key++) note(String(key), '403 hp/');
  expect(samples.lines).toBe(100);
  rest();
  expect(written).toHaveLength(100);
  // What was written makes room again.
  tried(1_000);
  expect(samples.lines).toBe(50);
  write();
});

test('all callers together write no more than the node may, and take turns', () => {
  const { clock, note, write, written } = samplesWith();
  const callers = 400;
  for (let caller = 0; caller < callers; caller++) note(String(caller), '502 hp/', 1_000);
  write();
  expect(written).toHaveLength(OF_A_NODE.atOnce);
  for (let second = 0; second < 60; second++) {
    clock.advance(1_000);
    write();
  }
  const later = written.slice(OF_A_NODE.atOnce);
  // Those who had no line of their own before have one now.
  expect(new Set(written.map(({ key_id }) => key_id)).size).toBe(callers);
  expect(later.length).toBeLessThanOrEqual(OF_A_NODE.perMinute);
});

test('callers beyond the bound share one budget', () => {
  const { note, write, written, rest } = samplesWith({ mostCallers: 2 });
  note('1', '429 hp/');
  note('2', '429 hp/');
  for (let caller = 3; caller < 300; caller++) note(String(caller), '429 hp/', 2);
  write();
  expect(written).toHaveLength(2 + OF_A_CALLER.atOnce);
  rest();
  expect(standFor(written)).toBe(2 + 2 * 297);
});

test('a caller that is quiet for a while is forgotten, and may have as many lines again', () => {
  const { clock, note, write, written } = samplesWith({ mostCallers: 1 });
  note('1', '429 hp/', OF_A_CALLER.atOnce);
  write();
  clock.advance((OF_A_CALLER.atOnce / OF_A_CALLER.perMinute) * MINUTE);
  write();
  note('2', '429 hp/', OF_A_CALLER.atOnce);
  write();
  expect(written).toHaveLength(2 * OF_A_CALLER.atOnce);
});

test('whatever happens, memory is bounded and every call is a line, on one, or counted as dropped', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        caller: fc.constantFrom('1', '2', '3', STRANGERS),
        kind: fc.constantFrom('429 a/', '429 b/', '502 a/'),
        times: fc.integer({ min: 1, max: 200 }),
      }),
      fc.record({ waitMs: fc.integer({ min: 0, max: 20_000 }) }),
      fc.constant('write' as const),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 150 }), (all, mostLines) => {
      const { clock, samples, counts, note, write, rest, written } = samplesWith({
        mostLines,
        mostCallers: 2,
      });
      let noted = 0;
      for (const step of all) {
        if (step === 'write') write();
        else if ('waitMs' in step) clock.advance(step.waitMs);
        else {
          note(step.caller, step.kind, step.times);
          noted += step.times;
        }
        expect(samples.lines).toBeLessThanOrEqual(mostLines);
      }
      rest();
      expect(samples.lines).toBe(0);
      expect(standFor(written) + counts.dropped).toBe(noted);
      expect(standFor(written) - written.length).toBe(counts.sampled);
    }),
  );
});
