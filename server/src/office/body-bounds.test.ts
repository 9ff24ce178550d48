import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allowed } from '../../testing/openapi-values.ts';
import { hasMoreValuesThan } from '../base/json-values.ts';
import { NewKey } from '../resources/keys/key.ts';
import { Type } from '../resources/type.ts';
import { bodyBoundsOf, SMALLEST_BOUNDS } from './body-bounds.ts';
import { NewConsoleSession } from './session-routes.ts';

/** Every character that is not ASCII as an escape, which is the longest way to write it. */
function escaped(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[^ -~\n]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

test('whatever a schema allows is inside its bounds, with characters escaped and on lines of their own', () => {
  const schema = Type.Object({
    text: Type.String({ maxLength: 5 }),
    word: Type.Unsafe<string>({ enum: ['one', 'eleven'] }),
    list: Type.Array(Type.Union([Type.Integer(), Type.Null()]), { maxItems: 3 }),
    flag: Type.Optional(Type.Boolean()),
  });
  const { bytes, values } = bodyBoundsOf(schema);
  fc.assert(
    fc.property(allowed({}, JSON.parse(JSON.stringify(schema))), (value) => {
      const json = Buffer.from(escaped(value));
      expect(json.length).toBeLessThanOrEqual(bytes - SMALLEST_BOUNDS.bytes);
      expect(hasMoreValuesThan(values, json)).toBe(false);
    }),
  );
});

test('a sign-in needs a few KiB; a key with a thousand addresses needs more', () => {
  expect(bodyBoundsOf(NewConsoleSession).bytes).toBeLessThan(8_192);
  const ips = Array.from({ length: 1_000 }, () => '2001:db8:1111:2222:3333:4444:5555:6666/128');
  expect(bodyBoundsOf(NewKey).bytes).toBeGreaterThan(JSON.stringify(ips, null, 2).length);
  expect(bodyBoundsOf(undefined)).toEqual(SMALLEST_BOUNDS);
});

test('a schema without a bound is found at the start', () => {
  expect(() => bodyBoundsOf(Type.Object({ text: Type.String() }))).toThrow('without a bound');
  expect(() => bodyBoundsOf(Type.Array(Type.Integer()))).toThrow('without a bound');
});
