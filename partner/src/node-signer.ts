import { createHmac } from 'node:crypto';
import { composeBody } from './body.ts';
import {
  contentPrefix,
  type SignedWebhook,
  tokenMessage,
  type WebhookToSign,
  writeHeaders,
} from './signature.ts';

/**
 * The signer of signature.ts on node:crypto, for signing thousands of webhooks on Node. It is synchronous,
 * whereas Web Crypto queues each signature on the thread pool. A webhook takes about 10 µs, two thirds of
 * it for the two HMACs. Tests check that both signers produce the same bytes.
 */
export function sign(apiKey: string, timestamp: number, token: string): string {
  return createHmac('sha256', apiKey).update(tokenMessage(timestamp, token)).digest('hex');
}

export function signContent(
  apiKey: string,
  webhookId: string,
  timestamp: number,
  body: string | Uint8Array,
): string {
  const hmac = createHmac('sha256', apiKey);
  // As few updates as possible: each is a call out of JavaScript.
  if (typeof body === 'string') hmac.update(contentPrefix(webhookId, timestamp) + body);
  else hmac.update(contentPrefix(webhookId, timestamp)).update(body);
  return hmac.digest('base64');
}

export function signWebhook({ bodyKey, headerKeys, ...webhook }: WebhookToSign): SignedWebhook {
  return signWebhookWith(webhook, hmacOf(bodyKey), headerKeys.map(hmacOf));
}

/** The HMAC-SHA-256 of a text, under one key. */
export type Hmac = (message: string, encoding: 'hex' | 'base64') => string;

/** For who signs many webhooks under the same keys and keeps what it has prepared of them. */
export function signWebhookWith(
  webhook: Omit<WebhookToSign, 'bodyKey' | 'headerKeys'>,
  bodyKey: Hmac,
  headerKeys: readonly Hmac[],
): SignedWebhook {
  const { webhookId, event, form, timestamp, token } = webhook;
  const signature = bodyKey(tokenMessage(timestamp, token), 'hex');
  const body = composeBody(event, form, { signature, timestamp, token });
  const content = contentPrefix(webhookId, timestamp) + body;
  const digests = headerKeys.map((key) => key(content, 'base64'));
  return { body, headers: writeHeaders(webhookId, timestamp, digests) };
}

function hmacOf(apiKey: string): Hmac {
  return (message, encoding) => createHmac('sha256', apiKey).update(message).digest(encoding);
}
