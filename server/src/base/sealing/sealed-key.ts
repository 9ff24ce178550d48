/**
 * An API key as the database holds it: `<base64>=.<master key id>`, and after `bellhop reseal` also
 * `.<fingerprint>`.
 */
export interface SealedParts {
  bytes: Buffer;
  /** Which master key sealed it. */
  masterKeyId: string;
  /** The fingerprint that the API key had before it was sealed again. */
  fingerprint: string | undefined;
}

const FORM = /^([A-Za-z0-9+/]*)=\.([0-9a-f]{8})(?:\.([0-9a-f]{12}))?$/;

/** In place of the id, if a value is damaged or none of the master keys in force opens it. */
export const UNKNOWN_MASTER_KEY = 'unknown';

export function writeSealed(
  bytes: Buffer,
  masterKeyId: string,
  fingerprint: string | undefined,
): string {
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return `${base64}=.${masterKeyId}${fingerprint === undefined ? '' : `.${fingerprint}`}`;
}

/** Undefined if it is damaged. */
export function readSealed(sealed: string): SealedParts | undefined {
  const [, base64, masterKeyId, fingerprint] = FORM.exec(sealed) ?? [];
  if (base64 === undefined || masterKeyId === undefined) return undefined;
  return { bytes: Buffer.from(base64, 'base64'), masterKeyId, fingerprint };
}

/** The master key that it says has sealed it. */
export function masterKeyNamedIn(sealed: string): string {
  return readSealed(sealed)?.masterKeyId ?? UNKNOWN_MASTER_KEY;
}

/**
 * Tells the values of one API key apart, in attempts and when choosing the key that a receiver accepts. It
 * comes from the keyed digest, so it reveals nothing. A change of the master key changes the digest but not
 * the fingerprint, because attempts and midoffices refer to it.
 */
export function fingerprintOf(sealed: string, digest: string): string {
  return readSealed(sealed)?.fingerprint ?? fingerprintOfDigest(digest);
}

/** Of an API key that somebody gave, under the master key of the digest. */
export function fingerprintOfDigest(digest: string): string {
  return digest.slice(0, 12);
}
