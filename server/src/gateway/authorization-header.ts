import { Refusal } from './refusal.ts';

const LONGEST_HEADER_BYTES = 1_024;
const BASIC = /^basic +((?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?)$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 7617 forbids them in credentials.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface Credentials {
  keyId: string;
  apiKey: string;
}

/** RFC 7617: `Basic` and base64 of the UTF-8 bytes of `key id:API key`. */
export function readCredentials(header: string): Credentials {
  if (header.length > LONGEST_HEADER_BYTES) throw new Refusal('invalidAuthHeader');
  const encoded = BASIC.exec(header)?.[1];
  if (!encoded) throw new Refusal('invalidAuthHeader');
  let pair: string;
  try {
    pair = utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    throw new Refusal('invalidAuthHeader');
  }
  const colon = pair.indexOf(':');
  if (colon < 0 || CONTROL_CHARACTERS.test(pair)) throw new Refusal('invalidAuthHeader');
  return { keyId: pair.slice(0, colon), apiKey: pair.slice(colon + 1) };
}
