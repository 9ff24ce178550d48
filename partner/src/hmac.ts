/**
 * HMAC-SHA-256 with Web Crypto, which every supported runtime has. The HMAC key is the text of the API key
 * as UTF-8 bytes. An API key looks like a UUID but is not decoded as one.
 */
export async function hmacKey(apiKey: string): Promise<CryptoKey> {
  // Web Crypto's own message for an empty key does not help.
  if (apiKey === '') throw new TypeError('The API key is empty. Check where it is read from.');
  const bytes = new TextEncoder().encode(apiKey);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

export async function hmacSha256(
  key: CryptoKey,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
}

/** Derived from the call, so that no DOM type library is needed. */
export type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
