/**
 * HMAC-SHA-256 by Web Crypto, which every supported runtime has. The key is the API key's text as
 * UTF-8 bytes: an API key looks like a UUID, and is not decoded as one.
 */
export async function hmacKey(apiKey: string): Promise<CryptoKey> {
  // Web Crypto refuses an empty key with a message that helps no one.
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

/** The only type of Web Crypto named here; taken from the call so that no DOM library is needed. */
export type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
