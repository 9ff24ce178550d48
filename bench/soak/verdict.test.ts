import { expect, test } from 'vitest';
import { trendOf } from './verdict.ts';

const noise = (n: number) => (n % 3) - 1;

test('a leak of a hundredth in each sample is growth', () => {
  const values = Array.from({ length: 60 }, (_, n) => 200 + 2 * n + noise(n));
  expect(trendOf(values, 10)).toMatchObject({ isGrowing: true });
  expect(trendOf(values, 10).growth).toBeCloseTo(58, 0);
});

test('noise and a warm-up are not', () => {
  const warmUp = Array.from({ length: 60 }, (_, n) => (n < 25 ? 100 + 4 * n : 200) + noise(n) * 5);
  expect(trendOf(warmUp, 10)).toMatchObject({ isGrowing: false });
});

test('a small figure may drift by its least tolerance', () => {
  expect(trendOf([5, 5, 5, 5, 6, 7, 8], 10).isGrowing).toBe(false);
  expect(trendOf([5, 5, 5, 5, 6, 7, 8], 1).isGrowing).toBe(true);
});
