import { expect, test } from 'vitest';
import { futureAttempts } from './future-attempts.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const SCHEDULE = [1_000, 60_000, 3_600_000];
const waiting = {
  state: 'pending',
  lease: null,
  due_at: NOW + 500,
  retries_used: 0,
  scheduled_at: null,
};

function times(row: object): number[] {
  return futureAttempts({ ...waiting, ...row }, SCHEDULE, NOW).map((at) => Date.parse(at) - NOW);
}

test('the one that waits, then the schedule', () => {
  expect(times({})).toEqual([500, 1_500, 61_500, 3_661_500]);
});

test('what is used up of the schedule does not come again', () => {
  expect(times({ retries_used: 2 })).toEqual([500, 3_600_500]);
  expect(times({ retries_used: 3 })).toEqual([500]);
});

test('one by hand, then the one of the schedule when it was due', () => {
  expect(times({ due_at: NOW, scheduled_at: NOW + 700, retries_used: 2 })).toEqual([
    0, 700, 3_600_700,
  ]);
});

test('what is overdue comes now', () => {
  expect(times({ due_at: 0, retries_used: 3 })).toEqual([0]);
});

test('while an attempt is under way, those after it', () => {
  expect(times({ lease: 'node-1', due_at: NOW + 30_000, retries_used: 2 })).toEqual([3_600_000]);
});

test.each(['delivered', 'exhausted', 'cancelled'])('none once it is %s', (state) => {
  expect(times({ state })).toEqual([]);
});
