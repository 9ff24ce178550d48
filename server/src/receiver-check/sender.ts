/**
 * Plays the service: composes webhooks with the very signer that deliveries use, posts them one at a
 * time, and keeps what was answered. Each goes over a connection of its own, so that a receiver which
 * cuts one off after a bad request does not spoil the good one that follows.
 */
import { randomBytes } from 'node:crypto';
import { type BodyForm, createTokenMaker, type OrderEvent } from '@bellhop/partner';
import { sign, signContent, signWebhook } from '@bellhop/partner/node';
import type { Cidr } from '../addresses/addresses.ts';
import type { Answered, Failed } from '../receiver/exchange.ts';
import { createPoster, type Guard } from '../receiver/post.ts';
import { VERSION } from '../version.ts';

export interface SenderOptions {
  url: string;
  /** The newest first; two while a rotation overlaps, and the receiver may hold either. */
  keys: readonly string[];
  timeoutMs: number;
  /** Addresses that may be called although they are not public. */
  allow: readonly Cidr[];
  /** Ends the run early; the request under way fails with `aborted`. */
  signal?: AbortSignal | undefined;
}

export interface Request {
  headers: Record<string, string>;
  body: string;
  /** Whether the service would send it: what the receiver should accept. */
  genuine: boolean;
  /** What would be right, where something else was sent: the reply must not tell it. */
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
  /** Signs instead of the receiver's own key. */
  key?: string;
}

export type Sender = ReturnType<typeof createSender>;

export function createSender(options: SenderOptions) {
  const { url, keys, timeoutMs, allow, signal } = options;
  const newToken = createTokenMaker();
  const run = randomBytes(4).toString('hex');
  const exchanged: Exchanged[] = [];
  let ids = 0;

  const sender = {
    timeoutMs,
    /** The form of whatever is not about forms: one that the receiver is known to read. */
    form: 'data' as BodyForm,
    /** The one of `keys` that the receiver holds. */
    key: keys[0] as string,
    keys,
    /** Everything so far, in order. */
    exchanged: exchanged as readonly Exchanged[],
    newToken,
    /** Of an order that does not exist, in letters that every receiver can read. */
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
     * The same, but with headers that are signed rightly: a receiver that checks those first must
     * not be spared the rest.
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
      const poster = createPoster({ allow, timeoutMs, userAgent: `Bellhop/${VERSION}` });
      try {
        const guard: Guard = { isWanted: () => !signal?.aborted };
        signal?.addEventListener('abort', () => guard.breakOff?.(), { once: true });
        const outcome = await poster.post(url, request.headers, request.body, guard);
        exchanged.push({ request, outcome });
        return outcome;
      } finally {
        await poster.close();
      }
    },
  };
  return sender;
}
