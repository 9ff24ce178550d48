import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHmacs } from './hmac.ts';

test('is that of node:crypto, for any keys and texts in any order', () => {
  const hmacOf = createHmacs();
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  const long = fc.tuple(text, fc.nat(200)).map(([part, times]) => part.repeat(times));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), fc.oneof(text, long), (keys, message) => {
      const hmacs = keys.map((key) => hmacOf(key));
      for (const [n, key] of keys.entries()) {
        const encoding = n % 2 ? 'hex' : 'base64';
        const expected = createHmac('sha256', key).update(message).digest(encoding);
        expect(hmacs[n]?.(message, encoding)).toBe(expected);
      }
    }),
  );
});
