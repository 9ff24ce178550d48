import { expect, test } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { DatabaseClock } from './database-clock.ts';

const HOUR_MS = 3_600_000;
const NOON_MS = Date.parse('2026-01-01T12:00:00Z');

/** A machine on which `wallMs` and `passedMs` are set by hand, and a database at noon. */
function setUp() {
  const machine = { wallMs: NOON_MS, passedMs: 1_000 };
  const said: string[] = [];
  const base: Clock = {
    now: () => machine.wallMs,
    monotonic: () => machine.passedMs,
    after: () => ({ cancel() {} }),
  };
  const clock = new DatabaseClock(base, {
    warn: (_fields: object | string, text?: string) => void said.push(`warn ${text}`),
    info: (text: object | string) => void said.push(`info ${text}`),
  });
  return { machine, clock, said };
}

test('is the clock of the machine until the database has said the time', () => {
  const { clock, machine } = setUp();
  machine.wallMs = 42;
  expect(clock.now()).toBe(42);
});

test('goes with the database, whatever is done to the clock of the machine', () => {
  const { clock, machine } = setUp();
  clock.learn({ askedMs: 1_000, answeredMs: 1_000, databaseMs: NOON_MS });
  machine.passedMs += 500;
  for (const stepMs of [HOUR_MS, -HOUR_MS]) {
    machine.wallMs = NOON_MS + stepMs;
    expect(clock.now()).toBe(NOON_MS + 500);
  }
});

test('leaves a clock alone that may be right', () => {
  const { clock, machine } = setUp();
  clock.learn({ askedMs: 990, answeredMs: 1_010, databaseMs: NOON_MS });
  for (const offMs of [-10, 0, 10]) {
    machine.wallMs = NOON_MS + offMs;
    expect(clock.now()).toBe(NOON_MS + offMs);
  }
});

test('a slow answer does not make it less exact', () => {
  const { clock, machine } = setUp();
  clock.learn({ askedMs: 1_000, answeredMs: 1_000, databaseMs: NOON_MS });
  machine.passedMs = 2_000;
  clock.learn({ askedMs: 1_200, answeredMs: 2_000, databaseMs: NOON_MS + 300 });
  machine.wallMs = NOON_MS + HOUR_MS;
  // Sharp to the millisecond, and not to the 800 that the answer took.
  expect(clock.now()).toBe(NOON_MS + 1_000);
});

test('follows the database when its clock is set', () => {
  const { clock, machine } = setUp();
  clock.learn({ askedMs: 1_000, answeredMs: 1_000, databaseMs: NOON_MS });
  clock.learn({ askedMs: 1_000, answeredMs: 1_000, databaseMs: NOON_MS - HOUR_MS });
  expect(clock.now()).toBe(NOON_MS - HOUR_MS);
  machine.passedMs += 1_000;
  expect(clock.now()).toBe(NOON_MS - HOUR_MS + 1_000);
});

test('says once that the clocks differ, and once that they agree again', () => {
  const { clock, machine, said } = setUp();
  const sample = { askedMs: 1_000, answeredMs: 1_000, databaseMs: NOON_MS };
  clock.learn(sample);
  expect(said).toEqual([]);
  machine.wallMs = NOON_MS - HOUR_MS;
  clock.learn(sample);
  clock.learn(sample);
  expect(said).toEqual([expect.stringMatching(/^warn the clocks of this machine and/)]);
  machine.wallMs = NOON_MS;
  clock.learn(sample);
  expect(said).toHaveLength(2);
  expect(said[1]).toMatch(/^info .* agree again$/);
});
