import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRateLimit } from '../../../partner/src/rate-limit.ts';
import { LARGEST_REQUESTS_NUMBER, LARGEST_SECONDS_NUMBER } from '../resources/grants/grant.ts';
import { rateLimitHeaders, retryAfterSeconds } from './rate-limit-headers.ts';

const NOON = Date.UTC(2026, 0, 31, 12);

function headersFor(standing: { remaining: number; resetInMs: number }, nowMs = NOON) {
  const flat = rateLimitHeaders({ requests: 30, seconds: 60 }, standing, nowMs);
  return Object.fromEntries(
    Array.from({ length: flat.length / 2 }, (_, i) => [flat[i * 2], flat[i * 2 + 1]]),
  );
}

test('a reply has six headers about its limit', () => {
  expect(headersFor({ remaining: 29, resetInMs: 60_000 })).toEqual({
    'X-RateLimit-RequestsNumber': '30',
    'X-RateLimit-SecondsNumber': '60',
    'X-RateLimit-Remaining': '29',
    'X-RateLimit-Reset': '2026-01-31T12:01:00',
    'RateLimit-Policy': '"endpoint";q=30;w=60',
    RateLimit: '"endpoint";r=29;t=60',
  });
});

test('the reset is now if no call is counted', () => {
  expect(headersFor({ remaining: 30, resetInMs: 0 })).toMatchObject({
    'X-RateLimit-Reset': '2026-01-31T12:00:00',
    RateLimit: '"endpoint";r=30;t=0',
  });
});

test('waiting until the reset, or for Retry-After, is long enough', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.001, max: 86_400_000, noNaN: true }),
      fc.integer({ min: 0, max: 10_000 }),
      (resetInMs, laterMs) => {
        const nowMs = NOON + laterMs;
        const reset = headersFor({ remaining: 0, resetInMs }, nowMs)['X-RateLimit-Reset'];
        const lateMs = Date.parse(`${reset}Z`) - (nowMs + resetInMs);
        expect(lateMs).toBeGreaterThanOrEqual(0);
        expect(lateMs).toBeLessThan(1_000);
        const retryAfter = retryAfterSeconds(resetInMs);
        expect(Number.isInteger(retryAfter)).toBe(true);
        expect(retryAfter * 1_000).toBeGreaterThanOrEqual(resetInMs);
        expect(retryAfter * 1_000 - resetInMs).toBeLessThan(1_000);
      },
    ),
  );
});

test('Retry-After is never 0, which many clients read as "at once"', () => {
  expect([0, 0.2, 1, 999.9, 1_000, 1_000.1].map(retryAfterSeconds)).toEqual([1, 1, 1, 1, 1, 2]);
});

test('the partner package reads the largest limit that support can set', () => {
  const window = { requests: LARGEST_REQUESTS_NUMBER, seconds: LARGEST_SECONDS_NUMBER };
  const flat = rateLimitHeaders(
    window,
    { remaining: LARGEST_REQUESTS_NUMBER - 1, resetInMs: 1 },
    NOON,
  );
  const headers = new Headers();
  for (let i = 0; i < flat.length; i += 2) headers.set(flat[i] as string, flat[i + 1] as string);
  expect(readRateLimit(headers)?.limit).toEqual({
    requests: window.requests,
    spanMs: window.seconds * 1_000,
  });
});
