import { expect, test } from 'vitest';
import { percent } from './numbers.ts';

test('a share is never rounded up', () => {
  expect([0, 0.5, 0.99999, 1].map(percent)).toEqual(['0 %', '50 %', '99.9 %', '100 %']);
});
