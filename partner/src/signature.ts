import { type BodyForm, composeBody, type OrderEvent } from './body.ts';
import { hmacKey, hmacSha256 } from './hmac.ts';

/**
 * What is signed, and how a signature is written. Every webhook has two signatures: one in the body, over
 * timestamp and token, and one in the Standard Webhooks headers, over the whole payload. Only this file
 * knows the two formats. The HMAC comes from Web Crypto here and from node:crypto in node-signer.ts.
 */

/** The object `signature` of a webhook's body. */
export interface Secure {
  signature: string;
  /** Unix seconds. */
  timestamp: number;
  token: string;
}

/** A type rather than an interface, so that it is assignable to a record of headers. */
export type WebhookHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

export interface WebhookToSign {
  /** The id of the event; the same on every attempt. */
  webhookId: string;
  event: OrderEvent;
  form: BodyForm;
  /** Unix seconds, now. */
  timestamp: number;
  /** A new one for every attempt. */
  token: string;
  /** Signs the body, which has only one signature. */
  bodyKey: string;
  /** Each of them signs the headers; two during the overlap of a rotation. */
  headerKeys: readonly string[];
}

export interface SignedWebhook {
  body: string;
  headers: WebhookHeaders;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const TOKEN_LENGTH = 50;
/** The largest multiple of 62 that fits in a byte. Higher bytes would favour the first letters. */
const UNBIASED_BELOW = 248;
/**
 * How many random bytes to fetch at once. A call takes 2 to 3 µs for 64 bytes and for 4,096, so a token
 * takes 0.5 µs instead of 4 (Node 26, one core).
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

/** What the signature in the body covers; it does not cover the payload. */
export function tokenMessage(timestamp: number, token: string): string {
  return `${timestamp}${token}`;
}

/** The part before the body in the message that the headers' signature covers. */
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

/** One signature for the headers, in base64, without the prefix `v1,`. */
export async function signContent(
  apiKey: string,
  webhookId: string,
  timestamp: number,
  body: string | Uint8Array,
): Promise<string> {
  const message = contentMessage(webhookId, timestamp, body);
  return toBase64(await hmacSha256(await hmacKey(apiKey), message));
}

/** Creates a webhook as the service sends it. Partners can use it to test their receivers. */
export async function signWebhook(webhook: WebhookToSign): Promise<SignedWebhook> {
  const { webhookId, event, form, timestamp, token, bodyKey, headerKeys } = webhook;
  const signature = await sign(bodyKey, timestamp, token);
  const body = composeBody(event, form, { signature, timestamp, token });
  const digests = await Promise.all(
    headerKeys.map((key) => signContent(key, webhookId, timestamp, body)),
  );
  return { body, headers: writeHeaders(webhookId, timestamp, digests) };
}

/** The bytes that the headers' signature covers. The body is the raw one, never re-encoded. */
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
