import { expect, test } from 'vitest';
import { countdown, printable, shownId, span, table, wrapped } from './terminal.ts';

test('spans use the largest unit that gives a whole number', () => {
  const said = [1, 10, 60, 90, 120, 3_600, 7_200, 86_400, 172_800].map(span);
  expect(said).toEqual([
    'a second',
    '10 seconds',
    'a minute',
    '90 seconds',
    '2 minutes',
    'an hour',
    '2 hours',
    'a day',
    '2 days',
  ]);
});

test('countdowns are only as precise as needed', () => {
  expect([5, 61, 43_199].map(countdown)).toEqual(['5 s', '1 min 1 s', '11 h 59 min']);
});

test('columns are as wide as their text, without its colours', () => {
  const rows = [
    [{ text: 'a', colour: 'red' as const }, 'long', 'x'],
    ['bbb', 'c', 'y'],
  ];
  expect(table(['one', 'two', 'three'], rows)).toBe('one  two   three\na    long  x\nbbb  c     y');
});

test('control characters are escaped', () => {
  expect(printable('a\u001b[31m\n\u0007\u202e\u2028é 🛎')).toBe(
    'a\\u{1b}[31m\\u{a}\\u{7}\\u{202e}\\u{2028}é 🛎',
  );
});

test('a long id is cut in the middle on a terminal, and complete elsewhere', () => {
  const uuid = 'order-022a2cf1-d279-02f3-9c3c-596aa09b827b';
  expect(shownId(uuid, true)).toBe(uuid);
  const long = `${'a'.repeat(128)}${'z'.repeat(128)}`;
  expect(shownId(long, true)).toBe(`${'a'.repeat(24)}…${'z'.repeat(23)}`);
  expect(shownId(long, false)).toBe(long);
  expect(shownId('🛎'.repeat(256), true)).toBe(`${'🛎'.repeat(24)}…${'🛎'.repeat(23)}`);
  expect(shownId('\u001b'.repeat(256), true)).toMatch(/^\\u\{1b\}.{42}$/u);
});

test('text is wrapped to the width of the terminal, and left alone without one', () => {
  expect(wrapped('one two three four', '  ', 11)).toBe('  one two\n  three\n  four');
  expect(wrapped('one incomprehensible', '  ', 8)).toBe('  one\n  incomprehensible');
  expect(wrapped('one two three', '  ', undefined)).toBe('  one two three');
});
