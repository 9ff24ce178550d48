import { afterEach, expect, test } from 'vitest';
import { timesOf } from '../forms/spans.ts';
import { clockFrom, dayBefore, isoFromInput, localInput, startOf, today } from './time-input.ts';
import { chooseZone } from './zone.ts';

afterEach(() => chooseZone('local'));

test('an input field keeps the minute in every time zone', () => {
  expect(isoFromInput(localInput('2026-03-29T01:30:00.000Z'))).toBe('2026-03-29T01:30:00.000Z');
  expect(isoFromInput('')).toBeUndefined();
  expect(localInput(null)).toBe('');
});

test('a clock time can be typed as people write it', () => {
  expect(['9', '905', '9:05', '9.05', '14:30', '00:00'].map(clockFrom)).toEqual([
    '09:00',
    '09:05',
    '09:05',
    '09:05',
    '14:30',
    '00:00',
  ]);
  expect(['', '24:00', '12:60', 'noon', '1:2'].map(clockFrom)).toEqual(Array(5).fill(undefined));
});

test('yesterday is the calendar day before this one', () => {
  chooseZone('utc');
  expect(dayBefore('2026-03-01')).toBe('2026-02-28');
  expect(startOf('2026-03-01')).toBe('2026-03-01T00:00:00.000Z');
  expect(timesOf('yesterday', Date.now())).toEqual({
    since: startOf(dayBefore(today())),
    until: startOf(today()),
  });
  expect(timesOf('hour', Date.parse('2026-03-01T12:00:00Z'))).toEqual({
    since: '2026-03-01T11:00:00.000Z',
  });
});
