import { expect, test } from 'vitest';
import { counted, deliveriesInWords, percent } from './numbers.ts';

test('counts have separators', () => {
  expect([0, 1, 12_345].map(deliveriesInWords)).toEqual([
    '0 deliveries',
    '1 delivery',
    '12,345 deliveries',
  ]);
  expect(counted(1_667, 'webhook')).toBe('1,667 webhooks');
});

test('a share is never rounded up', () => {
  expect([0, 0.5, 0.99999, 1].map(percent)).toEqual(['0 %', '50 %', '99.9 %', '100 %']);
});
