import { expect, test } from 'vitest';
import { futureAttempts } from './deliveries.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const SCHEDULE = [1_000, 60_000, 3_600_000];
const waiting = {
  state: 'pending' as const,
  due_at: NOW + 500,
  retries_used: 0,
  scheduled_at: null,
};

function times(standing: object, inFlight = false): number[] {
  const times = futureAttempts({ ...waiting, ...standing }, inFlight, SCHEDULE, NOW);
  return times.map((at) => Date.parse(at) - NOW);
}

test('the next attempt comes first, then the rest of the schedule', () => {
  expect(times({})).toEqual([500, 1_500, 61_500, 3_661_500]);
});

test('used steps of the schedule do not come again', () => {
  expect(times({ retries_used: 2 })).toEqual([500, 3_600_500]);
  expect(times({ retries_used: 3 })).toEqual([500]);
});

test('a requested attempt comes before the scheduled one, which keeps its time', () => {
  expect(times({ due_at: NOW, scheduled_at: NOW + 700, retries_used: 2 })).toEqual([
    0, 700, 3_600_700,
  ]);
});

test('an overdue attempt comes now', () => {
  expect(times({ due_at: 0, retries_used: 3 })).toEqual([0]);
});

test('an attempt in flight is not among them', () => {
  expect(times({ due_at: NOW - 100, retries_used: 2 }, true)).toEqual([3_600_000]);
});

test.each(['delivered', 'exhausted', 'cancelled'])('a delivery that is %s has none', (state) => {
  expect(times({ state })).toEqual([]);
});

test('a delivery that waits for an earlier event of its order has none', () => {
  expect(times({ due_at: null })).toEqual([]);
});

test('an attempt requested while another is in flight follows it', () => {
  expect(times({ due_at: NOW, scheduled_at: NOW - 100, retries_used: 3 }, true)).toEqual([0]);
});
