import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.ts';
import { FailedLogins, TooManyFailedLogins } from './failed-logins.ts';

let clock: ManualClock;
let failedLogins: FailedLogins;

beforeEach(() => {
  clock = new ManualClock();
  failedLogins = new FailedLogins(clock);
});

/** The outcome of a sign-in: `in`, `failed`, `fault`, or the time to wait. */
async function outcome(attempt: Promise<unknown>): Promise<string | number | undefined> {
  try {
    return (await attempt) === undefined ? 'failed' : 'in';
  } catch (error) {
    if (!(error instanceof TooManyFailedLogins)) return 'fault';
    return error.retryAfterMs;
  }
}

const wrong = (address: string) =>
  outcome(failedLogins.attempt(address, async (): Promise<string | undefined> => undefined));
const right = (address: string) => outcome(failedLogins.attempt(address, async () => 'a caller'));
const faulty = (address: string) =>
  outcome(failedLogins.attempt(address, () => Promise.reject(new Error('database away'))));

async function fail(address: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) expect(await wrong(address)).toBe('failed');
}

test('verifies 20 failures, and refuses the 21st sign-in within 60 seconds', async () => {
  await fail('192.0.2.1', 20);
  expect(await wrong('192.0.2.1')).toBe(60_000);
});

test('tells before any sign-in that an address is held back, and counts nothing by that', async () => {
  await fail('192.0.2.1', 19);
  for (let i = 0; i < 5; i++) failedLogins.check('192.0.2.1');
  expect(await wrong('192.0.2.1')).toBe('failed');
  expect(() => failedLogins.check('192.0.2.1')).toThrow(TooManyFailedLogins);
  failedLogins.check('192.0.2.2');
});

test('does not verify a sign-in after 20 failures until the oldest is 60 seconds old', async () => {
  await fail('192.0.2.1', 1);
  clock.advance(10_000);
  await fail('192.0.2.1', 19);
  expect(await right('192.0.2.1')).toBe(50_000);
  clock.advance(49_999);
  expect(await right('192.0.2.1')).toBe(1);
  clock.advance(1);
  expect(await right('192.0.2.1')).toBe('in');
  await fail('192.0.2.1', 1);
  expect(await right('192.0.2.1')).toBe(10_000);
});

test('a refused sign-in does not count as a failure', async () => {
  await fail('192.0.2.1', 20);
  clock.advance(59_999);
  expect(await wrong('192.0.2.1')).toBe(1);
  clock.advance(1);
  await fail('192.0.2.1', 20);
});

test('neither a valid sign-in nor an error on our side counts as a failure', async () => {
  for (let i = 0; i < 100; i++) {
    expect(await right('192.0.2.1')).toBe('in');
    expect(await faulty('192.0.2.1')).toBe('fault');
  }
  await fail('192.0.2.1', 20);
});

test('is not affected by a change of the wall clock', async () => {
  await fail('192.0.2.1', 20);
  clock.setWallClock(clock.now() + 3_600_000);
  expect(await right('192.0.2.1')).toBe(60_000);
});

test('counts each IPv4 address separately', async () => {
  await fail('192.0.2.1', 20);
  await fail('192.0.2.2', 20);
});

test('counts an IPv6 /64 as one address, and the next /64 as another', async () => {
  await fail('2001:db8:0:1::1', 10);
  await fail('2001:db8:0:1:ffff:ffff:ffff:ffff', 5);
  await fail('2001:DB8::1:0:0:0:3', 5);
  expect(await right('2001:db8:0:1::4')).toBe(60_000);
  expect(await right('2001:db8:0:2::1')).toBe('in');
  expect(await right('2001:db8::1')).toBe('in');
});

test('tracks 100,000 addresses, and drops the oldest for a new one', async () => {
  const other = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
  await fail('192.0.2.1', 20);
  for (let i = 0; i < 99_999; i++) await wrong(other(i));
  // Valid sign-ins are not tracked.
  for (let i = 0; i < 1_000; i++) await right(`172.16.${i >> 8}.${i & 255}`);
  expect(await right('192.0.2.1')).toBe(60_000);
  await wrong('192.0.2.2');
  expect(await right('192.0.2.1')).toBe('in');
});

describe('many at once', () => {
  /** Sign-ins that are decided when the test wants. */
  function start(address: string, count: number) {
    const underWay: PromiseWithResolvers<string | undefined>[] = [];
    const outcomes = Array.from({ length: count }, () =>
      outcome(
        failedLogins.attempt(address, () => {
          const decided = Promise.withResolvers<string | undefined>();
          underWay.push(decided);
          return decided.promise;
        }),
      ),
    );
    return { underWay, outcomes: Promise.all(outcomes) };
  }
  const turns = () => new Promise((resolve) => setImmediate(resolve));

  test('verifies 20 of 500 wrong guesses, and refuses the others', async () => {
    const { underWay, outcomes } = start('192.0.2.1', 500);
    await turns();
    expect(underWay).toHaveLength(20);
    for (const { resolve } of underWay) resolve(undefined);
    expect(await outcomes).toEqual([...Array(20).fill('failed'), ...Array(480).fill(60_000)]);
    expect(underWay).toHaveLength(20);
  });

  test('refuses a right guess after 20 wrong ones in progress', async () => {
    const { underWay } = start('192.0.2.1', 20);
    const late = right('192.0.2.1');
    await turns();
    for (const { resolve } of underWay) resolve(undefined);
    expect(await late).toBe(60_000);
  });

  test('admits 200 valid sign-ins, and tracks nothing afterwards', async () => {
    const { underWay, outcomes } = start('192.0.2.1', 200);
    for (let decided = 0; decided < 200; decided++) {
      await turns();
      expect(underWay.length).toBeLessThanOrEqual(decided + 20);
      underWay[decided]?.resolve('a caller');
    }
    expect(new Set(await outcomes)).toEqual(new Set(['in']));
    await fail('192.0.2.1', 20);
  });

  test('an error on our side lets the next sign-in be verified', async () => {
    const { underWay, outcomes } = start('192.0.2.1', 60);
    for (let decided = 0; decided < 60; decided++) {
      await turns();
      underWay[decided]?.reject(new Error('database away'));
    }
    expect(new Set(await outcomes)).toEqual(new Set(['fault']));
    await fail('192.0.2.1', 20);
  });

  test('counts wrong sign-ins among valid ones, and verifies at most 20 of them', async () => {
    const { underWay, outcomes } = start('192.0.2.1', 300);
    for (let decided = 0; decided < underWay.length || decided < 20; decided++) {
      await turns();
      underWay[decided]?.resolve(decided % 3 === 0 ? undefined : 'a caller');
      await turns();
    }
    const counts = Map.groupBy(await outcomes, (one) => one);
    expect(counts.get('failed')).toHaveLength(20);
    expect(counts.get(60_000)?.length).toBe(300 - underWay.length);
  });

  test('addresses do not wait for each other', async () => {
    start('192.0.2.1', 100);
    expect(await right('192.0.2.2')).toBe('in');
  });

  test('refuses further sign-ins when 2,000 are waiting', async () => {
    const { underWay, outcomes } = start('192.0.2.1', 2_020);
    expect(await right('192.0.2.1')).toBe(1_000);
    for (const { resolve } of underWay) resolve(undefined);
    await outcomes;
  });
});
