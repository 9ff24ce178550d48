import { expect, test } from 'vitest';
import { simulate } from './queueing.ts';

const station = { name: 'one', servers: 1, perSecond: 1_000, micros: 500 };

test('the same seed gives the same outcome', () => {
  expect(simulate(station, 7)).toEqual(simulate(station, 7));
  expect(simulate(station, 7)).not.toEqual(simulate(station, 8));
});

test('a server is busy for as long as its work takes', () => {
  expect(simulate(station, 1).busy).toBeCloseTo(0.5, 1);
  expect(simulate({ ...station, servers: 4 }, 1).busy).toBeCloseTo(0.125, 1);
});

test('waiting explodes beyond the capacity, and only there', () => {
  const busy = simulate({ ...station, perSecond: 1_400 }, 1);
  const overloaded = simulate({ ...station, perSecond: 4_000 }, 1);
  expect(busy.p99Ms).toBeLessThan(100);
  expect(overloaded.p99Ms).toBeGreaterThan(5_000);
  expect(overloaded.longest).toBeGreaterThan(10_000);
});
