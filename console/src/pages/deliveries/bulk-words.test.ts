import { expect, test } from 'vitest';
import type { DeliveryCount } from '../../api/types.ts';
import { changedBy, consequences, countSelected } from './bulk-words.ts';

const none = { pending: 0, delivered: 0, exhausted: 0, cancelled: 0, unrouted: 0 };

function counted(by_state: Partial<DeliveryCount['by_state']>, has_more = false): DeliveryCount {
  const count = Object.values(by_state).reduce((sum, one) => sum + one, 0);
  return { count, by_state: { ...none, ...by_state }, has_more };
}

test('a retry says what is sent again, what starts over and what may be skipped', () => {
  expect(consequences('retry', counted({ pending: 1_417 }))).toEqual([
    '1,417 deliveries will be attempted now.',
  ]);
  expect(
    consequences(
      'retry',
      counted({ pending: 1, delivered: 2, exhausted: 3, cancelled: 4, unrouted: 5 }),
    ),
  ).toEqual([
    '15 deliveries will be attempted now.',
    '2 of them are already delivered and will be sent again.',
    '7 of them were given up and start a new schedule.',
    '5 of them have no midoffice; they are skipped if their partner still has none.',
  ]);
});

test('a cancellation says that settled deliveries stay as they are', () => {
  expect(consequences('cancel', counted({ pending: 1 }))).toEqual([
    '1 delivery will get no further attempt.',
    'It can be sent again later.',
  ]);
  expect(consequences('cancel', counted({ pending: 3, unrouted: 1, delivered: 2 }))).toEqual([
    '4 deliveries will get no further attempt.',
    'The other 2 found are settled and stay as they are.',
    'They can be sent again later.',
  ]);
  expect(consequences('cancel', counted({ exhausted: 2 }))).toEqual([
    'All of them are settled, so there is nothing to cancel.',
  ]);
});

test('nothing, and too much, say so', () => {
  expect(consequences('retry', counted({}))).toEqual(['The filter finds no delivery.']);
  expect(consequences('retry', counted({ pending: 1_000_000 }, true))[0]).toBe(
    'The filter finds more than 1,000,000 deliveries.',
  );
});

test('a selection is counted by state', () => {
  const selected = [{ state: 'pending' }, { state: 'pending' }, { state: 'exhausted' }] as const;
  expect(countSelected(selected)).toEqual(counted({ pending: 2, exhausted: 1 }));
});

test('the progress is that of the change that was counted at this moment', () => {
  const entry = (until: string, changed: number) =>
    ({ after: { filter: { until }, changed, done: false } }) as never;
  const entries = [entry('2026-01-02T00:00:00Z', 7), entry('2026-01-01T00:00:00Z', 500)];
  expect(changedBy(entries, { until: '2026-01-01T00:00:00Z' })).toBe(500);
  expect(changedBy(entries, { until: '2026-01-03T00:00:00Z' })).toBe(0);
  expect(changedBy(entries, {})).toBe(0);
});
