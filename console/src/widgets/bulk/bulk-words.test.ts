import { expect, test } from 'vitest';
import type { DeliveryCount } from '../../api/types.ts';
import {
  affectedBy,
  changedBy,
  consequences,
  countSelected,
  narrowed,
  numberToType,
} from './bulk-words.ts';

const none = { pending: 0, delivered: 0, exhausted: 0, cancelled: 0, unrouted: 0 };

function counted(by_state: Partial<DeliveryCount['by_state']>, has_more = false): DeliveryCount {
  const count = Object.values(by_state).reduce((sum, one) => sum + one, 0);
  return { count, by_state: { ...none, ...by_state }, has_more };
}

test('sending again says what is sent once more, what starts over and what may be skipped', () => {
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
    "What is sent again goes where its partner's webhooks go now.",
  ]);
  expect(consequences('retry', counted({}))).toEqual(['Everything here is delivered already.']);
});

test('a cancellation says that settled deliveries stay as they are', () => {
  expect(consequences('cancel', counted({ pending: 1 }))).toEqual([
    '1 delivery will get no further attempt.',
    'It can be sent again later.',
  ]);
  const some = counted({ pending: 3, unrouted: 1, exhausted: 2 });
  expect(affectedBy('cancel', some)).toBe(4);
  expect(consequences('cancel', some)).toEqual([
    '4 deliveries will get no further attempt.',
    'The other 2 found are settled and stay as they are.',
    'They can be sent again later.',
  ]);
  expect(consequences('cancel', counted({ exhausted: 2 }))).toEqual([
    'Nothing here is still to be sent, so there is nothing to cancel.',
  ]);
});

test('an acknowledgement says that they can still be sent', () => {
  expect(consequences('acknowledge', counted({ exhausted: 179 }))).toEqual([
    '179 deliveries will no longer be shown as a task.',
    'They stay exhausted and can be sent again later.',
  ]);
});

test('too many say so', () => {
  expect(consequences('retry', counted({ pending: 1_000_000 }, true))[0]).toBe(
    'The filter finds more than 1,000,000 deliveries.',
  );
});

test('delivered ones are sent again only if somebody asks for them', () => {
  const filter = { midoffice_id: 'mid_1' };
  expect(narrowed('retry', filter, false)).toEqual({ ...filter, only: 'undelivered' });
  expect(narrowed('retry', filter, true)).toEqual(filter);
  const delivered = { ...filter, state: 'delivered' } as const;
  expect(narrowed('retry', delivered, false)).toEqual(delivered);
  expect(narrowed('cancel', filter, true)).toEqual({ ...filter, only: 'undelivered' });
  expect(narrowed('acknowledge', delivered, false)).toEqual({
    ...delivered,
    only: 'unacknowledged',
  });
});

test('more than a thousand need their number typed', () => {
  expect([numberToType(1_000), numberToType(11_771)]).toEqual([undefined, '11771']);
});

test('a selection is counted by state, without what the change leaves out', () => {
  const of = (
    state: 'pending' | 'delivered' | 'exhausted',
    acknowledged_at: string | null = null,
  ) => ({
    state,
    acknowledged_at,
  });
  const selected = [of('pending'), of('delivered'), of('exhausted'), of('exhausted', '2026-01-31')];
  expect(countSelected(selected, {})).toEqual(counted({ pending: 1, delivered: 1, exhausted: 2 }));
  expect(countSelected(selected, { only: 'undelivered' })).toEqual(
    counted({ pending: 1, exhausted: 2 }),
  );
  expect(countSelected(selected, { only: 'unacknowledged' })).toEqual(counted({ exhausted: 1 }));
});

test('the progress is that of the change that was counted at this moment', () => {
  const entry = (until: string, changed: number) =>
    ({ after: { filter: { until }, changed, done: false } }) as never;
  const entries = [entry('2026-01-02T00:00:00Z', 7), entry('2026-01-01T00:00:00Z', 500)];
  expect(changedBy(entries, { until: '2026-01-01T00:00:00Z' })).toBe(500);
  expect(changedBy(entries, { until: '2026-01-03T00:00:00Z' })).toBe(0);
  expect(changedBy(entries, {})).toBe(0);
});
