import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Vault } from './vault.ts';

const masterKey = randomBytes(32);
const vault = new Vault(masterKey, 'production');
const text = fc.string({ unit: 'binary' });

test('a sealed key can be opened again, for any key id and API key', () => {
  fc.assert(
    fc.property(text, text, (keyId, apiKey) => {
      expect(vault.open(keyId, vault.seal(keyId, apiKey))).toBe(apiKey);
    }),
  );
});

test('a sealed key opens for no other key id, environment or master key', () => {
  const sealed = vault.seal('1', 'secret');
  expect(() => vault.open('2', sealed)).toThrow();
  expect(() => new Vault(masterKey, 'sandbox').open('1', sealed)).toThrow();
  expect(() => new Vault(randomBytes(32), 'production').open('1', sealed)).toThrow();
  expect(new Vault(masterKey, 'production').open('1', sealed)).toBe('secret');
});

test('a sealed key with a flipped bit, or cut short, does not open', () => {
  const sealed = Buffer.from(vault.seal('1', 'secret'), 'base64');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const turned = Buffer.from(sealed);
    turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => vault.open('1', turned.toString('base64'))).toThrow();
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(() => vault.open('1', sealed.subarray(0, length).toString('base64'))).toThrow();
  }
});

test('sealing twice gives two different texts, and neither contains the key', () => {
  const [one, other] = [vault.seal('1', 'secret'), vault.seal('1', 'secret')];
  expect(one).not.toBe(other);
  expect(Buffer.from(one, 'base64').includes('secret')).toBe(false);
});

test('a digest is 64 hex digits and depends on key id, API key, environment and master key', () => {
  const digests = [
    vault.digest('1', 'secret'),
    vault.digest('2', 'secret'),
    vault.digest('1', 'Secret'),
    new Vault(masterKey, 'sandbox').digest('1', 'secret'),
    new Vault(randomBytes(32), 'production').digest('1', 'secret'),
  ];
  for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(digests).size).toBe(5);
  expect(vault.digest('1', 'secret')).toBe(digests[0]);
});
