import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { RefusedKeys } from './refused-keys.ts';

const MINUTE_MS = 60_000;

test('adds up the refusals of the last hour, most first', () => {
  const clock = new ManualClock();
  const keys = new RefusedKeys(clock);
  keys.note('1');
  keys.note('2');
  clock.advance(MINUTE_MS);
  keys.note('2');
  expect(keys.top()).toEqual([
    { keyId: '2', refused: 2 },
    { keyId: '1', refused: 1 },
  ]);
});

test('drops refusals after an hour', () => {
  const clock = new ManualClock();
  const keys = new RefusedKeys(clock);
  keys.note('1');
  clock.advance(59 * MINUTE_MS);
  expect(keys.top()).toEqual([{ keyId: '1', refused: 1 }]);
  clock.advance(MINUTE_MS);
  expect(keys.top()).toEqual([]);
});

test('shows twenty, and keeps counting known keys when a minute is full', () => {
  const keys = new RefusedKeys(new ManualClock());
  for (let key = 0; key < 10_005; key++) keys.note(String(key));
  keys.note('0');
  keys.note('10004');
  const top = keys.top();
  expect(top).toHaveLength(20);
  expect(top[0]).toEqual({ keyId: '0', refused: 2 });
  expect(top).not.toContainEqual(expect.objectContaining({ keyId: '10004' }));
});
