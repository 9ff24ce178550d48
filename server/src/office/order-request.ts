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

/**
 * Where a request keeps what became of it so far. A WeakMap would do, but V8's collections of young objects take each
 * of its values for needed, whether the key is or not. Each value leads to the request, so all that a request had left
 * behind was copied twice, and stayed until the next full collection: a fifth of what an event cost.
 */
const IN_PROGRESS = Symbol('in progress');
type Tagged = IncomingMessage & { [IN_PROGRESS]?: OrderRequest };

export class OrderRequest {
  readonly trace: EventTrace | undefined;
  /** Why its body is not read. */
  readonly refusal: Problem | undefined;
  readonly #request: IncomingMessage;
  readonly #webhooks: SupportEnvironment['webhooks'];
  readonly #room: ArrivingBody | undefined;
  #read: Read | undefined;
  #verdict: Promise<Verdict> | undefined;

  static inProgress(request: Tagged): OrderRequest | undefined {
    return request[IN_PROGRESS];
  }

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { name, webhooks }: SupportEnvironment,
    tracer: Tracer | undefined,
  ) {
    (request as Tagged)[IN_PROGRESS] = this;
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
