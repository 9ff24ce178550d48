import { type BodyForm, composeBody, type OrderEvent } from './body.ts';
import { hmacKey, hmacSha256 } from './hmac.ts';

/**
 * What is signed, and how a signature is written. Every webhook carries two: one in the body, over
 * timestamp and token, and one in the Standard Webhooks headers, over the whole payload. This file
 * is the only one that knows either format; the HMAC itself comes from Web Crypto here and from
 * node:crypto in node-signer.ts.
 */

/** The object `signature` of a webhook's body. */
export interface Secure {
  signature: string;
  /** Unix seconds. */
  timestamp: number;
  token: string;
}

/** A type rather than an interface, so that it fits wherever a record of headers is asked for. */
export type WebhookHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

export interface WebhookToSign {
  /** The event's; the same on every attempt. */
  webhookId: string;
  event: OrderEvent;
  form: BodyForm;
  /** Unix seconds, now. */
  timestamp: number;
  /** Fresh for every attempt. */
  token: string;
  /** Signs the body, which has room for one signature. */
  bodyKey: string;
  /** Each signs the headers: both keys while a rotation overlaps. */
  headerKeys: readonly string[];
}

export interface SignedWebhook {
  body: string;
  headers: WebhookHeaders;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const TOKEN_LENGTH = 50;
/** The largest multiple of 62 that fits a byte: bytes from here on would favour the first letters. */
const UNBIASED_BELOW = 248;
/**
 * Random bytes are fetched this many at a time, since a call takes 2 to 3 µs for 64 as for 4,096:
 * a token then takes 0.5 µs instead of 4 (Node 26, one core).
 */
const POOL_BYTES = 4_096;

/** Makes tokens of 50 letters and digits, each with 297 bits from the platform's secure source. */
export function createTokenMaker(): () => string {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return () => {
    let token = '';
    while (token.length < TOKEN_LENGTH) {
      if (used === POOL_BYTES) {
        crypto.getRandomValues(pool);
        used = 0;
      }
      const byte = pool[used++] as number;
      if (byte < UNBIASED_BELOW) token += ALPHABET[byte % ALPHABET.length];
    }
    return token;
  };
}

/** What the body's signature covers: not the payload. */
export function tokenMessage(timestamp: number, token: string): string {
  return `${timestamp}${token}`;
}

/** What comes before the body in the message that the headers' signature covers. */
export function contentPrefix(webhookId: string, timestamp: number): string {
  return `${webhookId}.${timestamp}.`;
}

export function writeHeaders(
  webhookId: string,
  timestamp: number,
  digestsBase64: readonly string[],
): WebhookHeaders {
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': digestsBase64.map((digest) => `v1,${digest}`).join(' '),
  };
}

/** The signature of the body: 64 lower-case hex digits. */
export async function sign(apiKey: string, timestamp: number, token: string): Promise<string> {
  const message = new TextEncoder().encode(tokenMessage(timestamp, token));
  return toHex(await hmacSha256(await hmacKey(apiKey), message));
}

/** One signature of the headers, base64, without its `v1,`. */
export async function signContent(
  apiKey: string,
  webhookId: string,
  timestamp: number,
  body: string | Uint8Array,
): Promise<string> {
  const message = contentMessage(webhookId, timestamp, body);
  return toBase64(await hmacSha256(await hmacKey(apiKey), message));
}

/** A whole webhook as the service sends it; partners use it to test their receivers. */
export async function signWebhook(webhook: WebhookToSign): Promise<SignedWebhook> {
  const { webhookId, event, form, timestamp, token, bodyKey, headerKeys } = webhook;
  const signature = await sign(bodyKey, timestamp, token);
  const body = composeBody(event, form, { signature, timestamp, token });
  const digests = await Promise.all(
    headerKeys.map((key) => signContent(key, webhookId, timestamp, body)),
  );
  return { body, headers: writeHeaders(webhookId, timestamp, digests) };
}

/** The bytes under the headers' signature; the body as it came over the wire, never re-encoded. */
export function contentMessage(
  webhookId: string,
  timestamp: number,
  body: string | Uint8Array,
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const prefix = encoder.encode(contentPrefix(webhookId, timestamp));
  const content = typeof body === 'string' ? encoder.encode(body) : body;
  const message = new Uint8Array(prefix.length + content.length);
  message.set(prefix);
  message.set(content, prefix.length);
  return message;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
