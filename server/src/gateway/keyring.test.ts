import { expect, test } from 'vitest';
import { allowListFrom } from './keyring.ts';

test('a list allows an address if any entry does; without a list, every address is allowed', () => {
  const allowed = allowListFrom('["192.0.2.0/24","2001:db8::1"]');
  expect(['192.0.2.9', '2001:db8::1'].map(allowed)).toEqual([true, true]);
  expect(['192.0.3.9', '2001:db8::2', ''].map(allowed)).toEqual([false, false, false]);
  expect(allowListFrom(null)('')).toBe(true);
  expect(allowListFrom('[]')('192.0.2.9')).toBe(false);
});
