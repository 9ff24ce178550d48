/**
 * Plays the service: composes webhooks with the same signer as deliveries, posts them one at a time, and
 * records the answers. Each uses a connection of its own, so that a receiver that closes one after a bad
 * request does not affect the next one.
 */
import { randomBytes } from 'node:crypto';
import { type BodyForm, createTokenMaker, type OrderEvent } from '@bellhop/partner';
import { sign, signContent, signWebhook } from '@bellhop/partner/node';
import type { Cidr } from '../addresses/addresses.ts';
import type { ProxyAddress } from '../config/values.ts';
import type { Answered, Failed } from '../receiver/exchange.ts';
import { createPoster, type Guard } from '../receiver/post.ts';
import { VERSION } from '../version.ts';

export interface SenderOptions {
  url: string;
  /** The newest first. There are two during a rotation, and the receiver may have either. */
  keys: readonly string[];
  /** Sent with every request, beside those of the webhook. */
  headers?: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** Everything goes out through it, if there is one. */
  proxy?: ProxyAddress | undefined;
  /** Addresses that may be called although they are not public. */
  allow: readonly Cidr[];
  /** Ends the run early; the current request fails with `aborted`. */
  signal?: AbortSignal | undefined;
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
  const { url, keys, headers: more, timeoutMs, proxy, allow, signal } = options;
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
      const poster = createPoster({ allow, timeoutMs, proxy, userAgent: `Bellhop/${VERSION}` });
      try {
        const guard: Guard = { isWanted: () => !signal?.aborted };
        signal?.addEventListener('abort', () => guard.breakOff?.(), { once: true });
        const outcome = await poster.post(
          url,
          { ...more, ...request.headers },
          request.body,
          guard,
        );
        exchanged.push({ request, outcome });
        return outcome;
      } finally {
        await poster.close();
      }
    },
  };
  return sender;
}
