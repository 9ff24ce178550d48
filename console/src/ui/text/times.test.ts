import { expect, test } from 'vitest';
import { durationOf, isoFromInput, localInput, relativeTime, spanOf, windowOf } from './times.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');

test('relative times', () => {
  expect(relativeTime('2026-01-31T11:59:15Z', NOW)).toBe('45 s ago');
  expect(relativeTime('2026-01-31T12:03:00Z', NOW)).toBe('in 3 min');
  expect(relativeTime('2026-01-31T12:00:01Z', NOW)).toBe('now');
  expect(spanOf(90_000)).toBe('25 h');
  expect(spanOf(7 * 86_400)).toBe('7 d');
});

test('windows are exact', () => {
  expect([10, 60, 90, 3_600, 86_400, 172_800].map(windowOf)).toEqual([
    '10 s',
    'minute',
    '90 s',
    'hour',
    'day',
    '2 days',
  ]);
});

test('durations', () => {
  expect([7, 999, 1_234, 12_345].map(durationOf)).toEqual(['7 ms', '999 ms', '1.23 s', '12.3 s']);
});

test('an input field keeps the minute in every time zone', () => {
  expect(isoFromInput(localInput('2026-03-29T01:30:00.000Z'))).toBe('2026-03-29T01:30:00.000Z');
  expect(isoFromInput('')).toBeUndefined();
  expect(localInput(null)).toBe('');
});
