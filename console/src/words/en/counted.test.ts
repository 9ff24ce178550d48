import { expect, test } from 'vitest';
import { counted, deliveriesInWords } from './counted.ts';

test('counts have separators', () => {
  expect([0, 1, 12_345].map(deliveriesInWords)).toEqual([
    '0 deliveries',
    '1 delivery',
    '12,345 deliveries',
  ]);
  expect(counted(1_667, 'webhook')).toBe('1,667 webhooks');
});
