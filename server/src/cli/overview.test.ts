import { expect, test } from 'vitest';
import { limitInWords, overviewTable } from './overview.ts';

const ENTRY = {
  endpoint: 'api/b2b/v3/hotel/order/booking/finish/status/',
  is_active: true,
  is_debug_mode: false,
  is_limited: true,
  requests_number: 100,
  seconds_number: 10,
};

test('limits are shown in words', () => {
  expect(limitInWords(ENTRY)).toBe('100 requests in 10 seconds');
  expect(limitInWords({ ...ENTRY, requests_number: 1, seconds_number: 86_400 })).toBe(
    '1 request a day',
  );
  expect(limitInWords({ ...ENTRY, is_limited: false })).toBe('no limit');
});

test('the table gets narrow on a narrow terminal', () => {
  const [head, row] = overviewTable([ENTRY], 120).split('\n');
  expect(head).toMatch(/^endpoint +is_active +is_debug_mode +is_limited +limit$/);
  expect(row).toMatch(/\/ +yes +no +yes +100 requests in 10 seconds$/);
  const other = { ...ENTRY, endpoint: 'api/b2b/v3/overview/', is_active: false };
  const longest = { ...ENTRY, endpoint: 'api/b2b/v3/hotel/order/booking/finish/statuses/archive/' };
  const narrow = overviewTable([longest, other], 80).split('\n');
  expect(narrow[0]).toMatch(/^endpoint under api\/b2b\/v3\/ +active +debug +limit$/);
  expect(narrow[1]).toMatch(/^hotel\/order\/.*\/ +yes +no +100 in 10 seconds$/);
  expect(narrow[2]).toMatch(/^overview\/ +no +no +100 in 10 seconds$/);
  expect(narrow.filter((line) => line.length > 80)).toEqual([]);
  // A lone endpoint keeps its whole name.
  expect(overviewTable([ENTRY], 80)).toContain(`\n${ENTRY.endpoint} `);
});
