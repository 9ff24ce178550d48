/**
 * The certificate that Bellhop shows to the receiver of a midoffice, if the receiver asks for one (mutual TLS). It is
 * stored as JSON: the certificate with its intermediates as it is, the private key sealed under the midoffice.
 */
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Vault } from '../base/sealing/vault.ts';

/** In characters. A certificate has some 2,000, and is followed by its intermediates. */
export const LONGEST_CERTIFICATE = 32_768;
/** A private RSA key of 8,192 bits has 6,500. */
export const LONGEST_PRIVATE_KEY = 8_192;

/** Both in PEM. */
export interface CertificatePair {
  certificate: string;
  private_key: string;
}

/** An opened pair. Connections with one are never used with another, or with none. */
export interface ClientIdentity extends CertificatePair {
  /** Stays the same as long as the pair does, and no two midoffices have the same. */
  id: string;
}

/** What anyone may know of it. */
export interface ShownCertificate {
  subject: string;
  fingerprint: string;
  not_after: string;
}

export function sealPair(
  vault: Vault,
  midofficeId: string,
  { certificate, private_key }: CertificatePair,
): string {
  const sealed = vault.seal(privateKeyUnder(midofficeId), private_key);
  return JSON.stringify({ certificate, private_key: sealed });
}

export function openPair(vault: Vault, midofficeId: string, stored: string): CertificatePair {
  const { certificate, private_key: sealed } = sealedPairIn(stored);
  return { certificate, private_key: vault.open(privateKeyUnder(midofficeId), sealed) };
}

export function openIdentity(vault: Vault, midofficeId: string, stored: string): ClientIdentity {
  const id = createHash('sha256').update(stored).digest('base64url');
  return { id, ...openPair(vault, midofficeId, stored) };
}

/** Its private key is sealed. */
export function sealedPairIn(stored: string): CertificatePair {
  return JSON.parse(stored) as CertificatePair;
}

/** No header has a name with a space, so no header is sealed under the same. */
export function privateKeyUnder(midofficeId: string): string {
  return `${midofficeId} private key`;
}

export function shownCertificate(stored: string): ShownCertificate {
  const { subject, fingerprint256, validToDate } = new X509Certificate(
    sealedPairIn(stored).certificate,
  );
  return {
    subject: (subject ?? '').replaceAll('\n', ', '),
    fingerprint: fingerprint256,
    not_after: validToDate.toISOString(),
  };
}

/** What is wrong with it, and in which part. It quotes nothing. */
export function wrongPair(
  { certificate, private_key }: CertificatePair,
  nowMs: number,
): { part: keyof CertificatePair; detail: string } | undefined {
  const parsed = attempt(() => new X509Certificate(certificate));
  if (!parsed || !certificate.includes('-----BEGIN CERTIFICATE-----')) {
    return { part: 'certificate', detail: 'must be a certificate in PEM' };
  }
  if (parsed.validToDate.getTime() <= nowMs) {
    const day = parsed.validToDate.toISOString().slice(0, 10);
    return { part: 'certificate', detail: `must not have expired: it was valid until ${day}` };
  }
  const key = attempt(() => createPrivateKey(private_key));
  if (!key) return { part: 'private_key', detail: 'must be a private key in PEM, unencrypted' };
  if (!parsed.checkPrivateKey(key)) {
    return { part: 'private_key', detail: 'must be the private key of the certificate' };
  }
  // OpenSSL refuses more than the checks above, such as keys that are too short.
  if (attempt(() => createSecureContext({ cert: certificate, key: private_key }))) return undefined;
  return { part: 'certificate', detail: 'must be a certificate that OpenSSL accepts' };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
