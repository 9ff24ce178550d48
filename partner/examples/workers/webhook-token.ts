/**
 * Remembers tokens in Durable Objects, one object per token. Workers run in many places at once and share
 * no memory, but an object exists only once: of two that get the same webhook, one learns that it is new.
 */
import type { TokenStore } from '@bellhop/partner';

/** The part of a Durable Object namespace that is used here. */
export interface TokenObjects {
  idFromName(name: string): unknown;
  get(id: never): { fetch(url: string, init: RequestInit): Promise<Response> };
}

interface Storage {
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  setAlarm(atMs: number): Promise<void>;
  deleteAll(): Promise<void>;
}

export function tokenStoreIn(objects: TokenObjects): TokenStore {
  return {
    async remember(token, expiresAtSeconds) {
      // Only Cloudflare's types know what an id is.
      const object = objects.get(objects.idFromName(token) as never);
      const body = String(expiresAtSeconds);
      const reply = await object.fetch('https://token/', { method: 'POST', body });
      return (await reply.text()) === 'new';
    },
  };
}

export class WebhookToken {
  readonly #storage: Storage;

  constructor({ storage }: { storage: Storage }) {
    this.#storage = storage;
  }

  async fetch(request: Request): Promise<Response> {
    const expiresAtSeconds = Number(await request.text());
    // No other request reaches this object between these two: storage closes its gate meanwhile.
    if (await this.#storage.get('seen')) return new Response('seen');
    await this.#storage.put('seen', true);
    if (Number.isFinite(expiresAtSeconds)) await this.#storage.setAlarm(expiresAtSeconds * 1_000);
    return new Response('new');
  }

  /** The token is stale by now, so a replay is refused for its age. */
  async alarm(): Promise<void> {
    await this.#storage.deleteAll();
  }
}
