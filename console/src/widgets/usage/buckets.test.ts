import { expect, test } from 'vitest';
import type { UsageHistoryItem } from '../../api/types.ts';
import { bucketsOf } from './buckets.ts';

const NOW = Date.UTC(2026, 2, 29, 10, 30);

function item(at: string, counts: Partial<UsageHistoryItem> = {}): UsageHistoryItem {
  return {
    at,
    endpoint: 'api/b2b/v3/overview/',
    admitted: 0,
    refused: 0,
    failed: 0,
    peak_share: null,
    ...counts,
  };
}

test('every hour of the last 7 days and every day of the last 90 has a bucket', () => {
  const hours = bucketsOf([], 'hour', NOW);
  expect(hours).toHaveLength(7 * 24 + 1);
  expect(hours[0]?.at).toBe('2026-03-22T10:00:00.000Z');
  expect(hours.at(-1)?.at).toBe('2026-03-29T10:00:00.000Z');
  const days = bucketsOf([], 'day', NOW);
  expect(days).toHaveLength(91);
  expect(days.at(-1)?.at).toBe('2026-03-29T00:00:00.000Z');
});

test('endpoints add up, the peak is the highest, and no count is negative', () => {
  const at = '2026-03-29T09:00:00.000Z';
  const buckets = bucketsOf(
    [
      item(at, { admitted: 5, failed: 1, refused: 2, peak_share: 0.2 }),
      item(at, { endpoint: 'api/b2b/v3/search/hp/', admitted: 3, peak_share: 0.9 }),
      item(at, { endpoint: 'api/b2b/v3/hotel/info/', failed: 4 }),
      item('2020-01-01T00:00:00.000Z', { admitted: 100 }),
    ],
    'hour',
    NOW,
  );
  const called = buckets.filter(({ answered }) => answered > 0);
  expect(called).toEqual([{ at, answered: 7, failed: 5, refused: 2, peak_share: 0.9 }]);
});
