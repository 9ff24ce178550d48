import { type ReceivedEvent, readBody } from './body.ts';
import { type HeaderSource, type ReceivedHeaders, readHeaders } from './headers.ts';
import { type CryptoKey, hmacKey, hmacSha256 } from './hmac.ts';
import { contentMessage, toBase64, toHex, tokenMessage } from './signature.ts';
import type { TokenStore } from './token-store.ts';

/**
 * Checks that a request is a genuine webhook: readable, then genuine, then recent, then new. The order
 * matters. A token is stored only after the signature was verified; otherwise a forger could use up tokens
 * that the service has not sent yet.
 */
export interface VerifierOptions {
  /** The API key; both keys during the overlap of a rotation. */
  apiKey: string | readonly string[];
  /** How far the timestamp may be from now, in either direction; false accepts any age. Default 15. */
  toleranceSeconds?: number | false;
  /** Detects repeated tokens. Without it, a captured webhook can be replayed within the tolerance. */
  tokenStore?: TokenStore;
  /**
   * Refuses webhooks without the Standard Webhooks headers. Only those headers cover the payload: without
   * them, a captured body could be replayed with another order in it. Default false, because the
   * specification does not mention them.
   */
  requireHeaders?: boolean;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export type Refusal = 'malformed' | 'bad_signature' | 'stale' | 'replayed';

export type Verification =
  | { ok: true; event: ReceivedEvent; token: string; timestamp: number; webhookId?: string }
  | { ok: false; reason: Refusal; message: string };

export interface Verifier {
  /** `body` is the raw body, before anything has parsed it. */
  verify(body: string | Uint8Array, headers?: HeaderSource): Promise<Verification>;
}

export function createVerifier(options: VerifierOptions): Verifier {
  const { tokenStore, requireHeaders = false, now = Date.now } = options;
  const wanted = options.toleranceSeconds ?? 15;
  const toleranceSeconds = wanted === Number.POSITIVE_INFINITY ? false : wanted;
  // Without TypeScript, a variable that is not set comes as undefined.
  const apiKey = options.apiKey ?? [];
  const apiKeys = typeof apiKey === 'string' ? [apiKey] : apiKey;
  if (apiKeys.length === 0 || !apiKeys.every(Boolean)) {
    throw new TypeError('apiKey is empty. Check where it is read from.');
  }
  if (toleranceSeconds !== false && !(toleranceSeconds >= 0)) {
    throw new TypeError('toleranceSeconds must be a number of seconds, or false.');
  }
  let imported: Promise<CryptoKey[]> | undefined;

  return {
    async verify(body, source = {}) {
      const text = decode(body);
      if (text === undefined) return refuse('malformed', 'The body is not UTF-8.');
      const reading = readBody(text);
      if (!reading.ok) return refuse('malformed', reading.message);
      const headers = readHeaders(source);
      if (headers === 'malformed') {
        return refuse('malformed', 'The webhook-… headers are incomplete or unreadable.');
      }
      if (headers === undefined && requireHeaders) {
        return refuse('malformed', 'The webhook-… headers are missing.');
      }

      const { event, secure } = reading;
      const { signature, timestamp, token } = secure;
      imported ??= Promise.all(apiKeys.map(hmacKey));
      const keys = await imported;
      const message = tokenMessage(timestamp, token);
      if (!(await signedByAny(keys, new TextEncoder().encode(message), toHex, [signature]))) {
        return refuse('bad_signature', 'The signature in the body was not made with this API key.');
      }
      if (headers && !(await headersHold(keys, headers, body))) {
        return refuse('bad_signature', 'The signature in the headers does not match the body.');
      }

      if (toleranceSeconds !== false) {
        // Whole seconds, like the timestamp: a fraction would shorten the tolerance.
        const nowSeconds = Math.floor(now() / 1_000);
        const stamps = headers ? [timestamp, headers.timestamp] : [timestamp];
        if (stamps.some((stamp) => Math.abs(nowSeconds - stamp) > toleranceSeconds)) {
          return refuse('stale', `The timestamp is more than ${toleranceSeconds} s from now.`);
        }
      }
      if (tokenStore && !(await isNew(tokenStore, token, timestamp))) {
        return refuse('replayed', 'The token was used before.');
      }
      return headers
        ? { ok: true, event, token, timestamp, webhookId: headers.webhookId }
        : { ok: true, event, token, timestamp };
    },
  };

  async function isNew(store: TokenStore, token: string, timestamp: number): Promise<boolean> {
    if (toleranceSeconds !== false) {
      const latest = Math.max(timestamp, Math.ceil(now() / 1_000));
      return store.remember(token, latest + Math.ceil(toleranceSeconds) + 1);
    }
    if (!(await store.remember(token, Infinity))) return false;
    // Nothing separates timestamp and token in the signed text: "12" + "3x" has the signature of
    // "1" + "23x". The tolerance rules that out; without it, the joined text is remembered too.
    return store.remember(tokenMessage(timestamp, token), Infinity);
  }
}

function headersHold(
  keys: readonly CryptoKey[],
  { webhookId, timestamp, digests }: ReceivedHeaders,
  body: string | Uint8Array,
): Promise<boolean> {
  return signedByAny(keys, contentMessage(webhookId, timestamp, body), toBase64, digests);
}

/** Tries every key against every signature, so that the time does not reveal which one matched. */
async function signedByAny(
  keys: readonly CryptoKey[],
  message: Uint8Array<ArrayBuffer>,
  write: (digest: Uint8Array) => string,
  signatures: readonly string[],
): Promise<boolean> {
  let found = false;
  for (const key of keys) {
    const expected = write(await hmacSha256(key, message));
    for (const signature of signatures) found = equalInConstantTime(expected, signature) || found;
  }
  return found;
}

/** The time depends only on the length of `expected`, and the length of a digest is not secret. */
export function equalInConstantTime(expected: string, given: string): boolean {
  let difference = expected.length ^ given.length;
  for (let i = 0; i < expected.length; i++) {
    // charCodeAt is NaN past the end, which counts as 0; the lengths were already compared.
    difference |= expected.charCodeAt(i) ^ given.charCodeAt(i);
  }
  return difference === 0;
}

function decode(body: string | Uint8Array): string | undefined {
  if (typeof body === 'string') return body;
  // Not instanceof, because test runners pass bytes of another realm.
  if (!ArrayBuffer.isView(body)) {
    throw new TypeError('verify() needs the raw body: a string or bytes, not the parsed JSON.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function refuse(reason: Refusal, message: string): Verification {
  return { ok: false, reason, message };
}
