import { expect, test } from 'vitest';
import { countdown, printable, span, table } from './terminal.ts';

test('spans are said in the largest unit that comes out whole', () => {
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

test('what is left of a wait is no finer than it matters', () => {
  expect([5, 61, 43_199].map(countdown)).toEqual(['5 s', '1 min 1 s', '11 h 59 min']);
});

test('columns are as wide as what is in them, colours not counted', () => {
  const rows = [
    [{ text: 'a', colour: 'red' as const }, 'long', 'x'],
    ['bbb', 'c', 'y'],
  ];
  expect(table(['one', 'two', 'three'], rows)).toBe('one  two   three\na    long  x\nbbb  c     y');
});

test('nothing that a terminal obeys is printed as it is', () => {
  expect(printable('a\u001b[31m\n\u0007\u202e\u2028é 🛎')).toBe(
    'a\\u{1b}[31m\\u{a}\\u{7}\\u{202e}\\u{2028}é 🛎',
  );
});
