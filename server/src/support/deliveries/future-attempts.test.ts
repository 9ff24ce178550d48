import { expect, test } from 'vitest';
import { futureAttempts } from './future-attempts.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const SCHEDULE = [1_000, 60_000, 3_600_000];
const waiting = {
  state: 'pending' as const,
  dueAtMs: NOW + 500,
  retriesUsed: 0,
  scheduledAtMs: null,
};

function times(standing: object, inFlight = false): number[] {
  const times = futureAttempts({ ...waiting, ...standing }, inFlight, SCHEDULE, NOW);
  return times.map((at) => Date.parse(at) - NOW);
}

test('the one that waits, then the schedule', () => {
  expect(times({})).toEqual([500, 1_500, 61_500, 3_661_500]);
});

test('what is used up of the schedule does not come again', () => {
  expect(times({ retriesUsed: 2 })).toEqual([500, 3_600_500]);
  expect(times({ retriesUsed: 3 })).toEqual([500]);
});

test('one by hand, then the one of the schedule when it was due', () => {
  expect(times({ dueAtMs: NOW, scheduledAtMs: NOW + 700, retriesUsed: 2 })).toEqual([
    0, 700, 3_600_700,
  ]);
});

test('what is overdue comes now', () => {
  expect(times({ dueAtMs: 0, retriesUsed: 3 })).toEqual([0]);
});

test('while an attempt is under way, those after it', () => {
  expect(times({ dueAtMs: NOW - 100, retriesUsed: 2 }, true)).toEqual([3_600_000]);
});

test.each(['delivered', 'exhausted', 'cancelled'])('none once it is %s', (state) => {
  expect(times({ state })).toEqual([]);
});

test('none while it waits for an earlier event of its order', () => {
  expect(times({ dueAtMs: null })).toEqual([]);
});

test('one by hand that was asked for during an attempt follows it', () => {
  expect(times({ dueAtMs: NOW, scheduledAtMs: NOW - 100, retriesUsed: 3 }, true)).toEqual([0]);
});
