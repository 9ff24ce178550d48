/**
 * The booking core: clients that report orders to any node that is up. The events of an order come in
 * order, alone and in batches. A report without an answer is repeated until it is answered. Some are
 * repeated on purpose, and some with different content.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { EventType } from '@bellhop/partner';
import { type EnvironmentName, environments } from '../kit/bellhop.ts';
import type { BackOffice } from './back-office.ts';
import type { Ledger, SentEvent } from './ledger.ts';
import type { Random } from './random.ts';
import type { Office, World } from './world.ts';

/** With random faults. */
export const MANY_CLIENTS = 10;
/** For a single fault, whose recovery is measured: Bellhop must not be busy catching up. */
export const FEW_CLIENTS = 3;
/** A client's pause after each order; ten clients report about 120 events a second. */
const LONGEST_REST_MS = 350;
const REMEMBERED = 200;
/** Longer than any fault lasts. */
const ANSWER_WITHIN_MS = 60_000;

export interface Load {
  /** Starts no new orders. Resolves when every open report has been answered. */
  finish(): Promise<void>;
}

interface LoadParts {
  clients: number;
  backOffice: BackOffice;
  world: World;
  ledger: Ledger;
  random: Random;
}

export function startLoad(parts: LoadParts): Load {
  let finishing = false;
  const counts: Counts = { events: { production: 0, sandbox: 0 }, orders: 0 };
  const clients = Array.from({ length: parts.clients }, async (_, i) => {
    const client = new Client({ ...parts, random: parts.random.fork(`client ${i}`) }, counts);
    while (!finishing) await client.reportOrder();
  });
  return {
    async finish() {
      finishing = true;
      await Promise.all(clients);
    },
  };
}

interface Counts {
  events: Record<EnvironmentName, number>;
  orders: number;
}

class Client {
  readonly #parts: LoadParts;
  readonly #counts: Counts;
  readonly #shares: Record<string, number>;
  readonly #recent: SentEvent[] = [];

  constructor(parts: LoadParts, counts: Counts) {
    this.#parts = parts;
    this.#counts = counts;
    this.#shares = Object.fromEntries(parts.world.offices.map(({ share }, i) => [i, share]));
  }

  async reportOrder(): Promise<void> {
    const { random } = this.#parts;
    const events = random.chance(0.03) ? this.#orderWithoutOffice() : this.#order();
    while (events.length > 0) {
      const some = events.splice(0, random.between(1, events.length));
      await this.#report(some);
      this.#recent.push(...some);
    }
    this.#recent.splice(0, this.#recent.length - REMEMBERED);
    if (random.chance(0.3)) await this.#reportAgain();
    if (random.chance(0.1)) await this.#reportChanged();
    await sleep(random.between(0, LONGEST_REST_MS));
  }

  #order(): SentEvent[] {
    const { world, random } = this.#parts;
    const office = world.offices[Number(random.weighted(this.#shares))] as Office;
    const asked = random.chance(0.3) ? office.id : undefined;
    return this.#eventsOf(office.environment, office.partnerId, office, asked);
  }

  #orderWithoutOffice(): SentEvent[] {
    const { world, random } = this.#parts;
    const environment = random.pick(environments);
    return this.#eventsOf(environment, world.alone[environment], undefined, undefined);
  }

  #eventsOf(
    environment: EnvironmentName,
    partnerId: string,
    office: Office | undefined,
    askedOfficeId: string | undefined,
  ): SentEvent[] {
    const { ledger, random } = this.#parts;
    const orderId = `${environment}/${office?.character ?? 'nobody'}/${++this.#counts.orders}`;
    const length = random.between(1, office?.longestOrder ?? 1);
    return Array.from({ length }, (_, position) => {
      const event: SentEvent = {
        environment,
        eventId: `event-${++this.#counts.events[environment]}`,
        office,
        partnerId,
        askedOfficeId,
        type: typeAt(position, length, random),
        orderId,
        position,
        agreementNumber: random.chance(0.5) ? `№ ${random.between(1, 99)}` : undefined,
        status: random.chance(0.5) ? `${environment} ${position}` : undefined,
        uncertain: false,
        wasLost: false,
        deliveryId: undefined,
        acceptedAtMs: undefined,
      };
      ledger.add(event);
      return event;
    });
  }

  /** Sometimes mixed with events of another order; they must still be recognized. */
  async #reportAgain(): Promise<void> {
    const { random, ledger } = this.#parts;
    const first = random.pick(this.#recent);
    const more = this.#recent.filter((event) => event.environment === first.environment);
    const events = random.chance(0.5) ? [first] : [...new Set([first, random.pick(more)])];
    ledger.repeats += events.length;
    await this.#report(events);
  }

  async #reportChanged(): Promise<void> {
    const { backOffice, random, ledger } = this.#parts;
    // Nobody may know of the first one.
    if (ledger.isRestoring(Date.now())) return;
    const event = random.pick(this.#recent);
    const changed = { ...toJson(event), status: 'changed' };
    const answer = await backOffice.call('POST', pathFor(event), changed).catch(() => undefined);
    if (!answer || answer.status >= 500) return;
    const { code } = answer.body as { code?: string };
    if (answer.status !== 409 || code !== 'event_id_reused') {
      ledger.violate(
        'an event id with other content is refused',
        `${answer.status} ${JSON.stringify(answer.body)} for ${JSON.stringify(changed)}`,
      );
    }
  }

  async #report(events: readonly SentEvent[]): Promise<void> {
    const { backOffice, random, ledger } = this.#parts;
    const [first] = events as [SentEvent];
    const body =
      events.length === 1 && random.chance(0.5) ? toJson(first) : { events: events.map(toJson) };
    const giveUpAtMs = Date.now() + ANSWER_WITHIN_MS;
    while (Date.now() < giveUpAtMs) {
      const answer = await backOffice.call('POST', pathFor(first), body).catch(() => undefined);
      if (answer?.status === 202) {
        this.#note(events, answer.body);
        return;
      }
      if (answer && answer.status < 500) {
        ledger.violate(
          'what is right is accepted',
          `${answer.status} ${JSON.stringify(answer.body)} for ${JSON.stringify(body)}`,
        );
        return;
      }
      for (const event of events) event.uncertain = true;
      await sleep(random.between(20, 150));
    }
    ledger.violate('reports are answered', `no 202 within a minute for ${JSON.stringify(body)}`);
  }

  #note(events: readonly SentEvent[], body: unknown): void {
    const { ledger } = this.#parts;
    const { results } = body as { results: Result[] };
    const said = () => `${JSON.stringify(results)} for ${JSON.stringify(events.map(toJson))}`;
    if (results.length !== events.length) {
      ledger.violate('every event has its result', said());
      return;
    }
    for (const [i, event] of events.entries()) {
      const { event_id, outcome, delivery_id } = results[i] as Result;
      ledger.accepted++;
      // Lost, and reported again before its node had stored it again: then it is another delivery.
      const isLost = outcome === 'queued' && ledger.isRestoring(Date.now());
      if (isLost && event.deliveryId !== undefined) event.wasLost = true;
      const known = event.deliveryId !== undefined && !isLost;
      if (known && event.deliveryId !== delivery_id) {
        ledger.violate('a duplicate has the first delivery_id', `${event.deliveryId}; ${said()}`);
      }
      const fresh = event.office ? 'queued' : 'no_midoffice';
      const allowed = known ? ['duplicate'] : event.uncertain ? [fresh, 'duplicate'] : [fresh];
      if (event_id !== event.eventId || !allowed.includes(outcome)) {
        ledger.violate('the outcome is right', `expected ${allowed.join(' or ')}; ${said()}`);
      }
      if (!/^del_[1-9]\d*$/.test(delivery_id)) {
        ledger.violate('every event has a delivery, also without a midoffice', said());
      }
      if (!known && outcome === 'duplicate') ledger.lostAnswers++;
      event.deliveryId = delivery_id;
      event.acceptedAtMs ??= Date.now();
    }
  }
}

interface Result {
  event_id: string;
  outcome: string;
  delivery_id: string;
}

function typeAt(position: number, length: number, random: Random): EventType {
  if (position === 0) return 'created';
  return position === length - 1 && random.chance(0.5) ? 'cancelled' : 'updated';
}

function pathFor({ environment }: SentEvent): string {
  return `/orders/v1/${environment}/events`;
}

function toJson(event: SentEvent) {
  return {
    event_id: event.eventId,
    type: event.type,
    partner_id: event.partnerId,
    partner_order_id: event.orderId,
    agreement_number: event.agreementNumber,
    status: event.status,
    midoffice_id: event.askedOfficeId,
  };
}
