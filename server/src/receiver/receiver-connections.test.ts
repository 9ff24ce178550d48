import { expect, test } from 'vitest';
import { Reuse } from './receiver-connections.ts';

const MINUTE_MS = 60_000;

test('a second loss within a minute ends the reuse for ten minutes', () => {
  const reuse = new Reuse();
  reuse.lost(0);
  expect(reuse.isAllowed(0)).toBe(true);
  reuse.lost(MINUTE_MS - 1);
  expect(reuse.isAllowed(11 * MINUTE_MS - 2)).toBe(false);
  expect(reuse.isAllowed(11 * MINUTE_MS - 1)).toBe(true);
});

test('losses a minute apart do not', () => {
  const reuse = new Reuse();
  for (const minute of [0, 1, 2, 3]) reuse.lost(minute * MINUTE_MS);
  expect(reuse.isAllowed(3 * MINUTE_MS)).toBe(true);
  expect(reuse.isUnblemished(4 * MINUTE_MS - 1)).toBe(false);
  expect(reuse.isUnblemished(4 * MINUTE_MS)).toBe(true);
});
