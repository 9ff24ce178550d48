import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { RefusedKeys } from './refused-keys.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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

test('a day and a week reach back further, and then end too', () => {
  const clock = new ManualClock();
  const keys = new RefusedKeys(clock);
  keys.note('1');
  clock.advance(23 * HOUR_MS);
  keys.note('1');
  keys.note('2');
  expect(keys.top('day')).toEqual([
    { keyId: '1', refused: 2 },
    { keyId: '2', refused: 1 },
  ]);
  expect(keys.top('hour')).toHaveLength(2);
  clock.advance(2 * HOUR_MS);
  expect(keys.top('hour')).toEqual([]);
  expect(keys.top('day')).toHaveLength(2);
  expect(keys.top('day')[0]).toMatchObject({ refused: 1 });
  expect(keys.top('week')[0]).toEqual({ keyId: '1', refused: 2 });
  clock.advance(7 * 24 * HOUR_MS);
  expect(keys.top('week')).toEqual([]);
});

test('an hour that is over keeps the keys refused most', () => {
  const clock = new ManualClock();
  const keys = new RefusedKeys(clock);
  for (let key = 0; key < 1_500; key++) keys.note(String(key));
  keys.note('1499');
  clock.advance(2 * HOUR_MS);
  expect(keys.top('day')[0]).toEqual({ keyId: '1499', refused: 2 });
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
