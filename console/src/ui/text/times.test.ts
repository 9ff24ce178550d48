import { afterEach, expect, test } from 'vitest';
import { calendarDate, dateOf, exactTime, inChosenZone, utcDay } from './times.ts';
import { chooseZone } from './zone.ts';

afterEach(() => chooseZone('local'));

test('a time has a month in words, 24 hours and its zone', () => {
  chooseZone('utc');
  expect(exactTime('2026-01-31T21:05:07Z')).toBe('31 Jan 2026, 21:05:07 UTC');
  expect(dateOf('2026-01-31T21:05:07Z')).toBe('31 Jan 2026');
});

test('what has no zone of the viewer keeps its own', () => {
  expect(calendarDate('2025-10-01')).toBe('1 Oct 2025');
  expect(utcDay('2026-01-31T00:00:00Z')).toBe('31 Jan');
});

test('times in sentences of the server are shown in the zone and the format of the page', () => {
  const sentence = 'changed the expiry of live from none to 2026-01-31 12:00 UTC, TICKET-1';
  chooseZone('utc');
  expect(inChosenZone(sentence)).toBe(
    'changed the expiry of live from none to 31 Jan 2026, 12:00 UTC, TICKET-1',
  );
  chooseZone('local');
  expect(inChosenZone(sentence)).toMatch(/ to 3[01] Jan 2026, \d\d:\d\d \S+, TICKET-1$/);
});

test('what only looks like a time in a sentence stays as it is', () => {
  const sentence = 'wrote a note: “2026-99-99 12:00 UTC”';
  expect(inChosenZone(sentence)).toBe(sentence);
});
