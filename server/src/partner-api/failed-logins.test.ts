import { beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { FailedLogins } from './failed-logins.ts';
import { Refusal } from './refusal.ts';

let clock: ManualClock;
let failedLogins: FailedLogins;

beforeEach(() => {
  clock = new ManualClock();
  failedLogins = new FailedLogins(clock);
});

function refusalOf(
  run: () => void,
): { code: string; retryAfterMs: number | undefined } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.kind.code, retryAfterMs: error.retryAfterMs };
  }
}

function fail(address: string, times: number): void {
  for (let i = 0; i < times; i++) failedLogins.count(address);
}

test('the 20th failure is still one, the 21st within 60 seconds is too many', () => {
  fail('192.0.2.1', 20);
  expect(refusalOf(() => failedLogins.count('192.0.2.1'))).toEqual({
    code: 'too_many_failed_logins',
    retryAfterMs: 60_000,
  });
});

test('who has failed 20 times is not even asked, until the oldest is 60 seconds old', () => {
  fail('192.0.2.1', 1);
  clock.advance(10_000);
  fail('192.0.2.1', 19);
  expect(refusalOf(() => failedLogins.check('192.0.2.1'))?.retryAfterMs).toBe(50_000);
  clock.advance(49_999);
  expect(refusalOf(() => failedLogins.check('192.0.2.1'))?.retryAfterMs).toBe(1);
  clock.advance(1);
  expect(refusalOf(() => failedLogins.check('192.0.2.1'))).toBeUndefined();
  fail('192.0.2.1', 1);
  expect(refusalOf(() => failedLogins.check('192.0.2.1'))?.retryAfterMs).toBe(10_000);
});

test('being held back does not count as failing', () => {
  fail('192.0.2.1', 20);
  clock.advance(59_999);
  expect(refusalOf(() => failedLogins.count('192.0.2.1'))).toBeDefined();
  clock.advance(1);
  fail('192.0.2.1', 20);
});

test('asking does not count as failing', () => {
  for (let i = 0; i < 100; i++) failedLogins.check('192.0.2.1');
  fail('192.0.2.1', 20);
});

test('a set wall clock does not matter', () => {
  fail('192.0.2.1', 20);
  clock.setWallClock(clock.now() + 3_600_000);
  expect(refusalOf(() => failedLogins.check('192.0.2.1'))).toBeDefined();
});

test('IPv4 addresses count on their own', () => {
  fail('192.0.2.1', 20);
  fail('192.0.2.2', 20);
});

test('an IPv6 /64 counts as one, and its neighbour as another', () => {
  fail('2001:db8:0:1::1', 10);
  fail('2001:db8:0:1:ffff:ffff:ffff:ffff', 5);
  fail('2001:DB8::1:0:0:0:3', 5);
  expect(refusalOf(() => failedLogins.check('2001:db8:0:1::4'))).toBeDefined();
  expect(refusalOf(() => failedLogins.check('2001:db8:0:2::1'))).toBeUndefined();
  expect(refusalOf(() => failedLogins.check('2001:db8::1'))).toBeUndefined();
});

test('100,000 other addresses make room for themselves, the oldest goes first', () => {
  fail('192.0.2.1', 20);
  for (let i = 0; i < 99_999; i++) failedLogins.count(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  expect(refusalOf(() => failedLogins.check('192.0.2.1'))).toBeDefined();
  failedLogins.count('192.0.2.2');
  expect(refusalOf(() => failedLogins.check('192.0.2.1'))).toBeUndefined();
});
