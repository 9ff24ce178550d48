import { generateKeyPairSync } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { issueCertificate } from '../../testing/certificates.ts';
import { readConfig } from '../base/config/config.ts';
import { listenersOf } from '../base/config/listeners.ts';
import { start } from '../main/main.ts';
import { Certificate } from './certificate.ts';

let folder: string;
const own = issueCertificate({ name: 'own', validUntil: new Date('2030-01-31T12:00:00Z') });

beforeAll(async () => {
  folder = await temporaryFolder();
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const settingsWith = (cert: string, key: string) => ({
  BELLHOP_ENVIRONMENTS: 'sandbox',
  BELLHOP_SANDBOX_TLS_CERT_FILE: cert,
  BELLHOP_SANDBOX_TLS_KEY_FILE: key,
});

const filesOf = (cert: string, key: string) => {
  const tls = listenersOf(readConfig(settingsWith(cert, key))).get('sandbox')?.tls;
  if (!tls) throw new Error('The listener has no certificate.');
  return tls;
};

test('knows when it expires', () => {
  const certificate = new Certificate(filesOf(file('cert', own.cert), file('key', own.key)));
  expect(certificate.expiresAt).toEqual(new Date('2030-01-31T12:00:00Z'));
});

describe('is refused with the name of the setting', () => {
  const CERT = 'BELLHOP_SANDBOX_TLS_CERT_FILE must name a PEM file with';
  const KEY = 'BELLHOP_SANDBOX_TLS_KEY_FILE must name';
  const locked = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  });
  test.each<[string, string | undefined, string | undefined, string]>([
    ['a missing file', undefined, own.key, `${CERT} the certificate: $/c cannot be read (ENOENT).`],
    ['a missing key', own.cert, undefined, `a PEM file with the private key: $/k cannot be read`],
    ['an empty file', '\n', own.key, `${CERT} the certificate: $/c is empty.`],
    ['no certificate', own.key, own.key, `${CERT} a certificate, but $/c has none.`],
    ['no key', own.cert, own.cert, `${KEY} a PEM file with a private key without a password, but`],
    [
      'a key with a password',
      own.cert,
      locked.privateKey,
      `${KEY} a PEM file with a private key w`,
    ],
    [
      'the key of another',
      own.cert,
      issueCertificate({ name: 'other' }).key,
      `${KEY} the private key of the certificate in $/c, but $/k is that of another.`,
    ],
  ])('if there is %s, before anything is opened', async (_name, cert, key, sentence) => {
    const at = join(folder, crypto.randomUUID());
    const [certFile, keyFile] = [`${at}c`, `${at}k`];
    if (cert !== undefined) writeFileSync(certFile, cert);
    if (key !== undefined) writeFileSync(keyFile, key);
    const dataDir = join(folder, crypto.randomUUID());
    const settings = { ...settingsWith(certFile, keyFile), BELLHOP_DATA_DIR: dataDir };
    await expect(start(settings, () => {})).rejects.toThrow(sentence.replaceAll('$/', at));
    expect(existsSync(dataDir)).toBe(false);
  });

  const PREFIXES = ['PRODUCTION', 'SANDBOX', 'BACK_OFFICE', 'PRODUCTION_UPSTREAM'];
  test.each(PREFIXES)('if %s has only one of the two', (name) => {
    const [cert, key] = [`BELLHOP_${name}_TLS_CERT_FILE`, `BELLHOP_${name}_TLS_KEY_FILE`];
    expect(() => readConfig({ [cert]: 'x' })).toThrow(`${key} must be set with ${cert}.`);
    expect(() => readConfig({ [key]: 'x' })).toThrow(`${cert} must be set with ${key}.`);
  });
});

test('one for the upstream needs an upstream with https', () => {
  const [cert, key, url] = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'URL'].map(
    (name) => `BELLHOP_SANDBOX_UPSTREAM_${name}`,
  ) as [string, string, string];
  const files = { [cert]: 'x', [key]: 'x' };
  for (const given of [{}, { [url]: 'http://core' }]) {
    expect(() => readConfig({ ...files, ...given })).toThrow(
      `${cert} needs a ${url} that begins with https://.`,
    );
  }
  readConfig({ ...files, [url]: 'https://core' });
});
