/**
 * A request with order events. Each of its steps is taken once, whoever asks for it: one that begins on the short way
 * (quick-orders.ts) and cannot end there goes on in Fastify with what it has.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import { type ArrivingBody, LARGEST_BATCH_BYTES } from '../delivery/orders/intake.ts';
import type { OrderEventInput, Verdict } from '../delivery/orders/order-event.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { Problem } from '../resources/problem.ts';
import type { RouteParts } from './add-routes.ts';
import { type EventTrace, traceEvents } from './event-trace.ts';
import { readOrderBody } from './order-body.ts';
import { OrderEvent } from './order-schemas.ts';
import { bodyTooLarge } from './problem-replies.ts';
import { compileSchema } from './validator.ts';

export interface OrderParts extends RouteParts {
  clock: Clock;
  /** Undefined if order events are not traced. */
  tracer?: Tracer | undefined;
  /** Undefined if the listener speaks plain HTTP. */
  certificate?: unknown;
}

type Read = [error: Error | null, body?: unknown];

export class OrderRequest {
  readonly trace: EventTrace | undefined;
  /** Why its body is not read. */
  readonly refusal: Problem | undefined;
  readonly #request: IncomingMessage;
  readonly #webhooks: SupportEnvironment['webhooks'];
  readonly #room: ArrivingBody | undefined;
  #read: Read | undefined;
  #verdict: Promise<Verdict> | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { name, webhooks }: SupportEnvironment,
    tracer: Tracer | undefined,
  ) {
    this.#request = request;
    this.#webhooks = webhooks;
    this.trace = traceEvents(request.headers, name, tracer);
    if (Number(request.headers['content-length'] ?? 0) > LARGEST_BATCH_BYTES) {
      this.refusal = bodyTooLarge(LARGEST_BATCH_BYTES);
      return;
    }
    this.#room = webhooks.intake.enter();
    if (this.#room) response.once('close', this.#room.leave);
    else this.refusal = new Problem('too_many_events');
  }

  read(clock: Clock, done: (...read: Read) => void): void {
    const room = this.#room as ArrivingBody;
    if (this.#read) done(...this.#read);
    else
      readOrderBody(this.#request, { room, checkEvent, clock }, (...read) => {
        this.#read = read;
        done(...read);
      });
  }

  accept(events: readonly OrderEventInput[]): Promise<Verdict> {
    if (this.trace) this.trace.events = events.length;
    this.#verdict ??= this.#webhooks.accept(events, this.trace?.stored);
    return this.#verdict;
  }
}

const checkEvent = compileSchema(OrderEvent);
