import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueCertificate } from '../../testing/certificates.ts';
import { Vault } from '../base/sealing/vault.ts';
import {
  openIdentity,
  openPair,
  sealPair,
  shownCertificate,
  wrongPair,
} from './client-certificate.ts';

const DAY_MS = 86_400_000;
const vault = new Vault(randomBytes(32), 'production');
const authority = issueCertificate({ name: 'Authority', isAuthority: true });
const { cert, key } = issueCertificate({ name: 'client', issuer: authority });
const pair = { certificate: cert, private_key: key };

test.each<[string, Partial<typeof pair>, string, RegExp]>([
  ['text', { certificate: 'hunter2' }, 'certificate', /^must be a certificate in PEM$/],
  ['a key as the certificate', { certificate: key }, 'certificate', /certificate in PEM/],
  ['no key', { private_key: '' }, 'private_key', /^must be a private key in PEM, unencrypted$/],
  ['a certificate as the key', { private_key: cert }, 'private_key', /private key in PEM/],
  ['the key of another', { private_key: authority.key }, 'private_key', /of the certificate$/],
])('refuses %s, and quotes nothing', (_, change, part, detail) => {
  expect(wrongPair({ ...pair, ...change }, Date.now())).toEqual({
    part,
    detail: expect.stringMatching(detail),
  });
});

test('refuses one that has expired, and takes one with its intermediates', () => {
  expect(wrongPair(pair, Date.now() + 2 * DAY_MS)?.detail).toMatch(
    /^must not have expired: it was valid until \d{4}-\d\d-\d\d$/,
  );
  expect(wrongPair({ ...pair, certificate: cert + authority.cert }, Date.now())).toBeUndefined();
});

test('the private key is sealed under its midoffice, and what is shown does not need it', () => {
  const stored = sealPair(vault, 'mid_1', pair);
  expect(stored).not.toContain(key.split('\n')[1]);
  expect(openPair(vault, 'mid_1', stored)).toEqual(pair);
  expect(() => openPair(vault, 'mid_2', stored)).toThrow();
  expect(shownCertificate(stored)).toMatchObject({ subject: 'CN=client' });
});

test('every sealed pair is an identity of its own', () => {
  const [one, other] = [sealPair(vault, 'mid_1', pair), sealPair(vault, 'mid_2', pair)];
  const { id } = openIdentity(vault, 'mid_1', one);
  expect(openIdentity(vault, 'mid_1', one).id).toBe(id);
  expect(openIdentity(vault, 'mid_2', other).id).not.toBe(id);
});
