/**
 * Plays the service: composes webhooks with the same signer as deliveries, has them posted one at a time, and
 * records the answers.
 */
import { randomBytes } from 'node:crypto';
import type { BodyForm, OrderEvent } from '../body.ts';
import { sign, signContent, signWebhook } from '../node-signer.ts';
import { createTokenMaker } from '../signature.ts';
import type { Answered, Failed, Post } from './exchange.ts';
import { createNodePost } from './node-post.ts';

/** As long as the service waits by default. */
const DEFAULT_TIMEOUT_MS = 10_000;

export interface SenderOptions {
  url: string;
  /** The newest first. There are two during a rotation, and the receiver may have either. */
  keys: readonly string[];
  /** Sent with every request, beside those of the webhook. */
  headers?: Readonly<Record<string, string>>;
  /** For each whole reply; 10 seconds by default, as in the service. */
  timeoutMs?: number;
  /** Ends the run early; the current request fails with `aborted`. */
  signal?: AbortSignal | undefined;
  /** By default, requests are posted with `node:http` and `node:https`. */
  post?: Post;
}

export interface Request {
  headers: Record<string, string>;
  body: string;
  /** Whether the service would send it, so that the receiver should accept it. */
  genuine: boolean;
  /** The right signature, if a wrong one was sent: the reply must not reveal it. */
  rightSignature?: string;
}

export interface Exchanged {
  request: Request;
  outcome: Answered | Failed;
}

export interface Compose {
  event?: Partial<OrderEvent>;
  form?: BodyForm;
  /** The same for every attempt of one event. */
  webhookId?: string;
  token?: string;
  /** Seconds from now. */
  age?: number;
  /** Signs instead of the receiver's key. */
  key?: string;
}

export type Sender = ReturnType<typeof createSender>;

export function createSender(options: SenderOptions) {
  const { url, keys, headers: more, signal } = options;
  const { timeoutMs = DEFAULT_TIMEOUT_MS, post = createNodePost() } = options;
  const newToken = createTokenMaker();
  const run = randomBytes(4).toString('hex');
  const exchanged: Exchanged[] = [];
  let ids = 0;

  const sender = {
    timeoutMs,
    /** For cases that are not about forms: a form that the receiver is known to read. */
    form: 'data' as BodyForm,
    /** The one of `keys` that the receiver has. */
    key: keys[0] as string,
    keys,
    /** Everything so far, in order. */
    exchanged: exchanged as readonly Exchanged[],
    newToken,
    /** For an order that does not exist, in ASCII. */
    newOrderId: () => `check-${run}-${++ids}`,

    compose(parts: Compose = {}): Request {
      const { event, form = sender.form, token = newToken(), age = 0 } = parts;
      const timestamp = Math.floor(Date.now() / 1_000) - age;
      const partnerOrderId = event?.partnerOrderId ?? sender.newOrderId();
      const signed = signWebhook({
        webhookId: parts.webhookId ?? `event-${run}-${++ids}`,
        event: { type: 'updated', ...event, partnerOrderId },
        form,
        timestamp,
        token,
        bodyKey: parts.key ?? sender.key,
        headerKeys: parts.key === undefined ? keys : [parts.key],
      });
      const genuine = parts.key === undefined && age === 0;
      if (parts.key === undefined) return { ...signed, genuine };
      return { ...signed, genuine, rightSignature: sign(sender.key, timestamp, token) };
    },

    /** Bytes that were never a webhook. */
    unsigned(body: string): Request {
      return { headers: {}, body, genuine: false };
    },

    /**
     * The same, but with correctly signed headers: a receiver that checks those first must also get to the
     * rest.
     */
    raw(body: string, headers: Record<string, string> = {}): Request {
      const webhookId = `event-${run}-${++ids}`;
      const timestamp = Math.floor(Date.now() / 1_000);
      const signatures = keys.map((key) => `v1,${signContent(key, webhookId, timestamp, body)}`);
      const signed = {
        'webhook-id': webhookId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures.join(' '),
      };
      return { headers: { ...signed, ...headers }, body, genuine: false };
    },

    async post(request: Request): Promise<Answered | Failed> {
      const headers = { ...more, ...request.headers };
      const outcome = await post({ url, headers, body: request.body, timeoutMs, signal });
      exchanged.push({ request, outcome });
      return outcome;
    },
  };
  return sender;
}
