/**
 * Events, partner calls that must be journaled, and changes by support, all at once. Each reply is noted
 * when it has arrived: what it confirms must survive any power cut from then on.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { type Environment, nowRoundedUp, type Promises } from './promises.ts';
import type { Receiver, TestServer } from './server.ts';

const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];
const EVENT_CLIENTS = 3;
const KEYS = 20;
const MOST_EVENTS_AT_ONCE = 20;
/** Leaves moments in which nothing is written. */
const LONGEST_PAUSE_MS = 15;

interface Key {
  keyId: string;
  authorization: string;
}

interface Place {
  environment: Environment;
  partnerId: string;
  keys: Key[];
}

export interface LoadParts {
  server: TestServer;
  receiver: Receiver;
  token: string;
  promises: Promises;
  random: Random;
}

export class Load {
  readonly #parts: LoadParts;
  #places: Place[] = [];
  #count = 0;
  #ended = false;

  constructor(parts: LoadParts) {
    this.#parts = parts;
  }

  async prepare(): Promise<void> {
    for (const environment of ENVIRONMENTS) this.#places.push(await this.#prepare(environment));
  }

  async run(seconds: number): Promise<void> {
    const timer = setTimeout(() => this.end(), seconds * 1_000);
    await Promise.all(
      this.#places.flatMap((place, p) => [
        ...Array.from({ length: EVENT_CLIENTS }, (_, i) =>
          this.#repeat(`events ${p} ${i}`, (random) => this.#report(place, random)),
        ),
        this.#repeat(`calls ${p}`, (random) => this.#call(place, random)),
        this.#repeat(`changes ${p}`, () => this.#change(place)),
      ]),
    );
    clearTimeout(timer);
  }

  end(): void {
    this.#ended = true;
  }

  async #repeat(name: string, work: (random: Random) => Promise<void>): Promise<void> {
    const random = this.#parts.random.fork(name);
    while (!this.#ended) {
      await work(random);
      await sleep(random.between(0, LONGEST_PAUSE_MS));
    }
  }

  async #prepare(environment: Environment): Promise<Place> {
    const base = `/support/v1/${environment}`;
    const partner = await this.#post(`${base}/partners`, {
      name: 'Torture',
      integration_started_on: '2025-11-01',
      is_new: true,
    });
    const keys: Key[] = [];
    for (let i = 0; i < KEYS; i++) {
      const { key_id, api_key } = await this.#post(`${base}/partners/${partner.id}/keys`, {});
      const secret = Buffer.from(`${key_id}:${api_key}`).toString('base64');
      keys.push({ keyId: String(key_id), authorization: `Basic ${secret}` });
    }
    const midoffice = await this.#post(`${base}/midoffices`, {
      name: 'Torture',
      url: this.#parts.receiver.urlOf(environment),
      signing_key_id: keys[0]?.keyId,
    });
    await this.#send('PATCH', `${base}/partners/${partner.id}`, { midoffice_id: midoffice.id });
    return { environment, partnerId: String(partner.id), keys };
  }

  async #report({ environment, partnerId }: Place, random: Random): Promise<void> {
    const events = Array.from({ length: random.between(1, MOST_EVENTS_AT_ONCE) }, () => ({
      event_id: `e${this.#count++}`,
      type: 'updated',
      partner_id: partnerId,
      partner_order_id: `order ${this.#count}`,
    }));
    await this.#post(`/orders/v1/${environment}/events`, { events });
    const atMs = nowRoundedUp();
    for (const { event_id: eventId } of events) {
      this.#parts.promises.events.push({ environment, eventId, atMs });
    }
  }

  /** The overview's window is a day, so each admission must be durable before the reply. */
  async #call({ environment, keys }: Place, random: Random): Promise<void> {
    const { keyId, authorization } = random.pick(keys);
    const { server, promises } = this.#parts;
    const url = `${server.addresses[environment]}/api/b2b/v3/overview/`;
    const reply = await fetch(url, { headers: { authorization } });
    await reply.arrayBuffer();
    if (reply.status === 200) {
      promises.admissions.push({ environment, keyId, atMs: nowRoundedUp() });
    } else if (reply.status !== 429) {
      throw new Error(`The overview answered ${reply.status}.`);
    }
  }

  async #change({ environment, partnerId }: Place): Promise<void> {
    const { promises } = this.#parts;
    const name = `Name ${this.#count++}`;
    await this.#send('PATCH', `/support/v1/${environment}/partners/${partnerId}`, { name });
    promises.changes.push({ environment, partnerId, name, atMs: nowRoundedUp() });
    if (environment !== 'production') return;
    const token = await this.#post('/support/v1/tokens', { name, role: 'viewer' });
    promises.tokens.push({ tokenId: String(token.id), atMs: nowRoundedUp() });
  }

  #post(path: string, body: object): Promise<Record<string, unknown>> {
    return this.#send('POST', path, body);
  }

  async #send(method: string, path: string, body: object): Promise<Record<string, unknown>> {
    const { server, token } = this.#parts;
    const reply = await fetch(server.addresses.backOffice + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${answer}`);
    return JSON.parse(answer);
  }
}
