/**
 * An API key as the database holds it: `<base64>=.<master key id>`, and after `bellhop reseal` also
 * `.<fingerprint>`. The base64 comes first because releases before master keys had ids read only that: Node's
 * decoder stops at the equals sign. Their own values have no id.
 */
export interface SealedParts {
  bytes: Buffer;
  /** Which master key sealed it; undefined if a release without ids did. */
  masterKeyId: string | undefined;
  /** The fingerprint that the API key had before it was sealed again. */
  fingerprint: string | undefined;
}

const LABELLED = /^([A-Za-z0-9+/]*)=\.([0-9a-f]{8})(?:\.([0-9a-f]{12}))?$/;

export function writeSealed(
  bytes: Buffer,
  masterKeyId: string,
  fingerprint: string | undefined,
): string {
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return `${base64}=.${masterKeyId}${fingerprint === undefined ? '' : `.${fingerprint}`}`;
}

export function readSealed(sealed: string): SealedParts {
  const [, base64 = sealed, masterKeyId, fingerprint] = LABELLED.exec(sealed) ?? [];
  return { bytes: Buffer.from(base64, 'base64'), masterKeyId, fingerprint };
}

/**
 * Tells the values of one API key apart, in attempts and when choosing the key that a receiver accepts. It
 * comes from the keyed digest, so it reveals nothing. A change of the master key changes the digest but not
 * the fingerprint, because attempts and midoffices refer to it.
 */
export function fingerprintOf(sealed: string, digest: string): string {
  return readSealed(sealed).fingerprint ?? digest.slice(0, 12);
}
