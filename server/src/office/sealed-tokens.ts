/**
 * What the provider gave for a person's session, at rest. It is sealed with a key that is derived from the id in the
 * browser's cookie, of which the database has only a digest. So neither a copy of the database nor the master key opens
 * it, and a rotation of the master key has nothing to do here.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ProviderTokens } from './oidc/provider.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealTokens(sessionId: string, tokens: ProviderTokens): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(sessionId), nonce, { authTagLength: TAG_BYTES });
  const text = JSON.stringify(tokens);
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

/** Undefined if it was sealed for another session, or was changed. */
export function openTokens(sessionId: string, sealed: string): ProviderTokens | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  const tagAt = bytes.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(sessionId), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(tagAt));
  try {
    const opened = [decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()];
    const { refreshToken, idToken } = JSON.parse(Buffer.concat(opened).toString());
    return { refreshToken, idToken };
  } catch {
    return undefined;
  }
}

function keyOf(sessionId: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', sessionId, '', 'bellhop tokens of a session', 32));
}
