import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf, readSealed, writeSealed } from './sealed-key.ts';
import { masterKeyId, Vault } from './vault.ts';

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
  const whole = vault.seal('1', 'secret');
  const sealed = readSealed(whole)?.bytes as Buffer;
  const open = (bytes: Buffer) =>
    vault.open('1', writeSealed(bytes, vault.currentKeyId, undefined));
  expect(open(sealed)).toBe('secret');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const turned = Buffer.from(sealed);
    turned.writeUInt8(turned.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => open(turned)).toThrow();
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(() => open(sealed.subarray(0, length))).toThrow();
  }
  for (let length = 0; length < whole.length; length++) {
    expect(() => vault.open('1', whole.slice(0, length))).toThrow();
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

test('what earlier master keys sealed still opens and signs in; everything new is under the current one', () => {
  const newKey = randomBytes(32);
  const both = new Vault(newKey, 'production', [randomBytes(32), masterKey]);
  const alone = new Vault(newKey, 'production');
  fc.assert(
    fc.property(text, text, (keyId, apiKey) => {
      const old = vault.seal(keyId, apiKey);
      expect(both.open(keyId, old)).toBe(apiKey);
      expect(both.masterKeyIdOf(keyId, old)).toBe(vault.currentKeyId);
      expect(alone.masterKeyIdOf(keyId, old)).toBeUndefined();
      expect(both.digests(keyId, apiKey)).toContain(vault.digest(keyId, apiKey));
      expect(both.digest(keyId, apiKey)).toBe(alone.digest(keyId, apiKey));
      expect(alone.open(keyId, both.seal(keyId, apiKey))).toBe(apiKey);
    }),
  );
  expect(both.currentKeyId).toBe(alone.currentKeyId);
  expect(both.masterKeyIds).toHaveLength(3);
});

test('a value says which master key sealed it, in 8 hex digits that reveal nothing', () => {
  const id = masterKeyId(masterKey);
  expect(id).toMatch(/^[0-9a-f]{8}$/);
  expect(masterKey.toString('hex')).not.toContain(id);
  expect(vault.seal('1', 'secret')).toMatch(new RegExp(`=\\.${id}$`));
  // The same master key in the other environment has the same id, but opens nothing there.
  expect(new Vault(masterKey, 'sandbox').currentKeyId).toBe(id);
});

test('the fingerprint of an API key outlives a change of the master key', () => {
  const digest = vault.digest('1', 'secret');
  const before = vault.seal('1', 'secret');
  const fingerprint = fingerprintOf(before, digest);
  expect(fingerprint).toBe(digest.slice(0, 12));
  const renewed = new Vault(randomBytes(32), 'production');
  const after = renewed.seal('1', 'secret', fingerprint);
  expect(fingerprintOf(after, renewed.digest('1', 'secret'))).toBe(fingerprint);
  expect(renewed.open('1', after)).toBe('secret');
});
