import { expect, test } from 'vitest';
import { codeInWords, targetOf } from './call-words.ts';
import { limitOf, upstreamOf, wholeEndpoint } from './core-words.ts';

test('an endpoint is found as people type it', () => {
  const whole = 'api/b2b/v3/search/hp/';
  for (const typed of ['search/hp', 'search/hp/', '/api/b2b/v3/search/hp', whole]) {
    expect(wholeEndpoint(typed)).toBe(whole);
  }
  expect(wholeEndpoint(' '.trim())).toBe('');
});

test('one code says two things: the endpoint does not exist, or the key does not have it', () => {
  const code = 'endpoint_not_found';
  expect(codeInWords({ code, status: 403 })).toBe('endpoint not granted');
  expect(codeInWords({ code, status: 404 })).toBe('endpoint not found');
  expect(codeInWords({ code: 'of a later release', status: 400 })).toBe('of a later release');
});

test('what was called', () => {
  expect(targetOf({ endpoint: 'api/b2b/v3/search/hp/', path: null })).toBe('search/hp/');
  expect(targetOf({ endpoint: null, path: '/wp-login.php' })).toBe('/wp-login.php');
  expect(targetOf({ endpoint: null, path: null })).toBe('not a valid request');
});

test('the limit and what was left of it', () => {
  const limit = { requests_number: 1_000, seconds_number: 60, resets_at: '2026-01-31T12:00:00Z' };
  expect(limitOf({ limit: { ...limit, remaining: 0 } })).toBe('1,000 per minute, none left');
  expect(limitOf({ limit: { ...limit, remaining: 28 } })).toBe('1,000 per minute, 28 left');
  expect(limitOf({ limit: null })).toBeUndefined();
});

test('what the booking core did', () => {
  const upstream = (upstream_status: number | null, upstream_ms: number | null) =>
    upstreamOf({ upstream_status, upstream_ms });
  expect(upstream(503, 12.4)).toBe('answered 503 after 12 ms');
  expect(upstream(null, 60_000)).toBe('did not answer for 60.0 s');
  expect(upstream(200, null)).toBe('answered 200');
  expect(upstream(null, null)).toBeUndefined();
});
