import { expect, test } from 'vitest';
import { durationOf, lastingOf, relativeTime, spanOf, windowOf } from './durations.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');

test('relative times', () => {
  expect(relativeTime('2026-01-31T11:59:15Z', NOW)).toBe('45 s ago');
  expect(relativeTime('2026-01-31T12:03:00Z', NOW)).toBe('in 3 min');
  expect(relativeTime('2026-01-31T12:00:01Z', NOW)).toBe('now');
  expect(spanOf(90_000)).toBe('25 h');
  expect(spanOf(7 * 86_400)).toBe('7 d');
});

test('windows are exact', () => {
  expect([10, 60, 90, 900, 3_600, 7_200, 86_400, 172_800].map(windowOf)).toEqual([
    '10 s',
    'minute',
    '90 s',
    '15 min',
    'hour',
    '2 hours',
    'day',
    '2 days',
  ]);
});

test('what people choose to last', () => {
  const day = 86_400;
  expect([1, 900, 3_600, 8 * 3_600, day, 90 * day, 365 * day].map(lastingOf)).toEqual([
    '1 second',
    '15 minutes',
    '1 hour',
    '8 hours',
    '1 day',
    '90 days',
    '1 year',
  ]);
});

test('durations', () => {
  expect([7, 12.4, 999, 1_234, 12_345].map(durationOf)).toEqual([
    '7 ms',
    '12 ms',
    '999 ms',
    '1.23 s',
    '12.3 s',
  ]);
});
