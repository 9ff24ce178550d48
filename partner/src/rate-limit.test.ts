import { expect, test } from 'vitest';
import { readRateLimit } from './rate-limit.ts';

const GOOD = {
  'x-ratelimit-requestsnumber': '100',
  'x-ratelimit-secondsnumber': '86400',
  'x-ratelimit-remaining': '40',
  ratelimit: '"endpoint";r=40;t=7',
};

test('reads the limit, what remains and the time until a slot is free', () => {
  expect(readRateLimit(new Headers(GOOD))).toEqual({
    limit: { requests: 100, spanMs: 86_400_000 },
    remaining: 40,
    resetMs: 7_000,
  });
});

test.each([
  ['a number that no service sends', { 'x-ratelimit-requestsnumber': '1e9' }],
  ['a limit without end', { 'x-ratelimit-requestsnumber': 'Infinity' }],
  ['a limit of a thousand million', { 'x-ratelimit-requestsnumber': '1000000000' }],
  ['hexadecimal digits', { 'x-ratelimit-secondsnumber': '0x10' }],
  ['a window without end', { 'x-ratelimit-secondsnumber': 'Infinity' }],
  ['a fraction', { 'x-ratelimit-remaining': '0.5' }],
  ['an empty count', { 'x-ratelimit-remaining': '' }],
  ['more remaining than the limit', { 'x-ratelimit-remaining': '101' }],
])('does not believe %s', (_what, headers) => {
  expect(readRateLimit(new Headers({ ...GOOD, ...headers }))).toBeUndefined();
});
