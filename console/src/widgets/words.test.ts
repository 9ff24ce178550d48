import { expect, test } from 'vitest';
import { limitInWords } from './limit-words.ts';

test('limits are read as numbers per window', () => {
  const limit = (requests_number: number, seconds_number: number, is_limited = true) =>
    limitInWords({ is_limited, requests_number, seconds_number });
  expect(limit(400, 60)).toBe('400 per minute');
  expect(limit(12_000, 90)).toBe('12,000 per 90 s');
  expect(limit(400, 60, false)).toBe('no limit');
});
