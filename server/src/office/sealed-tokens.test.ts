import { expect, test } from 'vitest';
import { openTokens, sealTokens } from './sealed-tokens.ts';

test('tokens open with the id that sealed them, and only as they were', () => {
  const id = 'a'.repeat(43);
  const tokens = { refreshToken: 'r', idToken: undefined };
  const sealed = sealTokens(id, tokens);
  expect(openTokens(id, sealed)).toEqual(tokens);
  expect(sealTokens(id, tokens)).not.toBe(sealed);
  expect(openTokens('b'.repeat(43), sealed)).toBeUndefined();
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(openTokens(id, changed.toString('base64url'))).toBeUndefined();
  }
  expect(openTokens(id, '')).toBeUndefined();
});
