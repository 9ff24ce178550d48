import { afterEach, expect, test, vi } from 'vitest';
import { readMoment, when } from './moments.ts';

afterEach(() => vi.unstubAllEnvs());

/** Noon in UTC; half past five in the afternoon in Kolkata. */
const NOW = new Date('2026-11-18T12:00:00Z');
const read = (text: string) => readMoment(text, NOW)?.toISOString();

test.each([
  ['10:00', '2026-11-18T04:30:00.000Z'],
  ['9:05', '2026-11-18T03:35:00.000Z'],
  ['10:00:30', '2026-11-18T04:30:30.000Z'],
  ['today', '2026-11-17T18:30:00.000Z'],
  ['today 00:00', '2026-11-17T18:30:00.000Z'],
  ['yesterday', '2026-11-16T18:30:00.000Z'],
  ['yesterday 22:00', '2026-11-17T16:30:00.000Z'],
  ['2026-01-31', '2026-01-30T18:30:00.000Z'],
  ['2026-01-31 12:00', '2026-01-31T06:30:00.000Z'],
  ['2026-01-31T12:00:05.25', '2026-01-31T06:30:05.250Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00+02:00', '2026-01-31T10:00:00.000Z'],
])('%s is read in the zone of the machine unless it names one', (text, expected) => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
  expect(read(text)).toBe(expected);
});

test('the day before the first of a month or a year is the last of the one before', () => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
  const newYear = new Date('2025-12-31T20:00:00Z');
  expect(readMoment('yesterday', newYear)?.toISOString()).toBe('2025-12-30T18:30:00.000Z');
});

test.each([
  '',
  'soon',
  '10',
  '25:00',
  '10:60',
  'tomorrow',
  'yesterdayT',
  'today ',
  '10:00Z',
  'yesterday 10:00Z',
  '2026-02-30',
  '2026-13-01',
  '2026-01-31T',
  '2026-01-31 (about)',
  '31.01.2026',
  '2026-01-31T12:00+2',
])('"%s" is no time', (text) => {
  expect(read(text)).toBeUndefined();
});

test('what is shown can be typed', () => {
  const shown = when('2026-01-31T12:00:05.123Z');
  expect(shown).toBe('2026-01-31 12:00:05Z');
  expect(read(shown)).toBe('2026-01-31T12:00:05.000Z');
});
