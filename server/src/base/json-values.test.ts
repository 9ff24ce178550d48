import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasMoreValuesThan } from './json-values.ts';

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inside = Object.values(value);
  return (
    inside.reduce<number>((sum, one) => sum + valuesIn(one), 1) + (inside.length === 0 ? 1 : 0)
  );
}

test('counts the values of any JSON, whatever its strings contain', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat(3), (value, indent) => {
      const json = Buffer.from(JSON.stringify(value, null, indent));
      const values = valuesIn(value);
      expect(hasMoreValuesThan(values, json)).toBe(false);
      expect(hasMoreValuesThan(values - 1, json)).toBe(values > 1);
    }),
  );
});

test.each(['"', '"\\', '"a\\"', '\\"', ''])('does not stumble over %j', (text) => {
  expect(hasMoreValuesThan(1, Buffer.from(text))).toBe(false);
});
