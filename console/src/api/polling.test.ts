import { expect, test } from 'vitest';
import { noteChanged, pollPause } from './polling.ts';

test('a page polls sooner after a change, and only for a few seconds', () => {
  expect(pollPause(4_000, 0)).toBe(4_000);
  noteChanged(10_000);
  expect(pollPause(4_000, 10_000)).toBe(500);
  expect(pollPause(4_000, 12_999)).toBe(500);
  expect(pollPause(4_000, 13_000)).toBe(4_000);
});

test('what is polled more often than that anyway stays as it is', () => {
  noteChanged(10_000);
  expect(pollPause(200, 10_000)).toBe(200);
});
