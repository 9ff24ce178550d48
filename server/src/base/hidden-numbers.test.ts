import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hideNumber, revealNumber } from './hidden-numbers.ts';
import { Vault } from './sealing/vault.ts';

const numbers = fc.maxSafeNat();

test('a number is found again under its own key, and under no other', () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  fc.assert(
    fc.property(numbers, (number) => {
      const hidden = hideNumber(key, number);
      expect(hidden).toMatch(/^[0-9a-f]{32}$/);
      expect(revealNumber(key, hidden)).toBe(number);
      expect(revealNumber(other, hidden)).toBeUndefined();
    }),
  );
});

test('what nobody has hidden is no number', () => {
  const key = randomBytes(32);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{32}$/)), (text) => {
      expect(revealNumber(key, text)).toBeUndefined();
    }),
  );
  expect(revealNumber(key, hideNumber(key, 7).toUpperCase())).toBeUndefined();
});

test('an environment has its own, which an earlier master key still finds', () => {
  const [old, now] = [randomBytes(32), randomBytes(32)];
  const hidden = new Vault(old, 'production').hideNumber(120);
  expect(new Vault(now, 'production', [old]).revealNumber(hidden)).toBe(120);
  expect(new Vault(now, 'production').revealNumber(hidden)).toBeUndefined();
  expect(new Vault(old, 'sandbox').revealNumber(hidden)).toBeUndefined();
});
