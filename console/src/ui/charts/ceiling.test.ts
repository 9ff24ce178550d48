import { expect, test } from 'vitest';
import { ceilingOf } from './ceiling.ts';

const day = (usual: number, ...spikes: number[]) => [
  ...spikes,
  ...Array.from({ length: 96 - spikes.length }, (_, n) => (n % 2 ? usual : 0)),
];

test('a spike does not flatten the others', () => {
  expect(ceilingOf(day(12, 5_000))).toBe(18);
  expect(ceilingOf(day(12, 5_000, 300, 90))).toBe(18);
});

test('what is usual is drawn whole', () => {
  expect(ceilingOf(day(12, 40))).toBe(40);
  expect(ceilingOf(day(12, ...Array(20).fill(5_000)))).toBe(5_000);
  expect(ceilingOf([0, 0, 5_000])).toBe(5_000);
  expect(ceilingOf([0, 3, 5_000])).toBe(5_000);
  expect(ceilingOf([])).toBe(0);
});
