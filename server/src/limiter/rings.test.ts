import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { Rings, sweepIdle, Tally } from './rings.ts';

test('idle rings are dropped, used ones stay', () => {
  const clock = new ManualClock();
  const rings = new Rings((keyId, endpoint) => new Tally(keyId, endpoint));
  const sweeping = sweepIdle(rings, clock);
  for (let key = 0; key < 10_000; key++) {
    rings.ensure(String(key), 'overview/').ring.admit(clock.monotonic(), 1, 1_000);
  }
  rings.ensure('1', 'hotel/info/').ring.admit(clock.monotonic(), 1, 3_600_000);
  expect([...rings]).toHaveLength(10_001);

  clock.advance(61_000);
  expect([...rings].map(({ keyId, endpoint }) => [keyId, endpoint])).toEqual([
    ['1', 'hotel/info/'],
  ]);

  sweeping.cancel();
  expect(clock.nextTimerInMs).toBeUndefined();
});

test('a sweep takes a few rings at a time', () => {
  const clock = new ManualClock();
  const rings = new Rings((keyId, endpoint) => new Tally(keyId, endpoint));
  const sweeping = sweepIdle(rings, clock);
  for (let key = 0; key < 10_000; key++) rings.ensure(String(key), 'overview/');

  clock.advance(60_000);
  expect([...rings]).toHaveLength(8_000);
  expect(clock.nextTimerInMs).toBeGreaterThan(0);
  clock.advance(100);
  expect([...rings]).toHaveLength(0);
  sweeping.cancel();
});
