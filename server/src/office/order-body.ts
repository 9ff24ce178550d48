/**
 * Reads the body of a request with order events. One that is small is parsed as a whole. A larger one must be a batch,
 * and its events are parsed and checked one by one while they arrive, so that the thread can do other work in between
 * and a bad batch is refused at its first bad event.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyError } from 'fastify';
import type { Clock, Timer } from '../base/clock.ts';
import { type ArrivingBody, LARGEST_BATCH_BYTES } from '../delivery/orders/intake.ts';
import type { OrderEventInput } from '../delivery/orders/order-event.ts';
import { SENDER_PACE, watchSender } from '../listener/pace.ts';
import { invalidField, Problem } from '../resources/problem.ts';
import { bodyBoundsOf } from './body-bounds.ts';
import { EventSplitter, LONGEST_EVENT_BYTES, SplitError } from './event-splitter.ts';
import { MOST_EVENTS, OrderEvent } from './order-schemas.ts';
import { bodyTooLarge } from './problem-replies.ts';
import { decodeJson } from './request-input.ts';
import { validationProblem } from './validation-errors.ts';
import type { Validator } from './validator.ts';

/** As everywhere, what the schema can need and some more. */
const MOST_VALUES_IN_EVENT = bodyBoundsOf(OrderEvent).values;

/** The events of a large batch, each of them checked. */
export class CheckedBatch {
  readonly events: OrderEventInput[] = [];
}

interface Reading {
  room: ArrivingBody;
  checkEvent: Validator;
  clock: Clock;
}

/** Calls back with the parsed JSON of a small body, or with a checked batch. */
export function readOrderBody(
  request: IncomingMessage,
  { room, checkEvent, clock }: Reading,
  done: (error: Error | null, body?: unknown) => void,
): void {
  let bytes = 0;
  let chunks: Buffer[] = [];
  let batch: BatchReader | undefined;
  let pace: Timer | undefined;
  let isOver = false;

  function finish(error: Error | null, body?: unknown): void {
    if (isOver) return;
    isOver = true;
    pace?.cancel();
    // Whatever else comes is discarded. A refused sender may go on for seconds, and must not hold what it sent before.
    chunks = [];
    batch = undefined;
    request.resume();
    done(error, body);
  }

  function take(chunk: Buffer): void {
    bytes += chunk.length;
    if (bytes > LARGEST_BATCH_BYTES) throw bodyTooLarge(LARGEST_BATCH_BYTES);
    room.add(chunk.length);
    if (isOver) return;
    if (batch) {
      batch.push(chunk);
      return;
    }
    chunks.push(chunk);
    if (bytes <= LONGEST_EVENT_BYTES) return;
    batch = new BatchReader(checkEvent);
    batch.begin(Buffer.concat(chunks));
    chunks = [];
  }

  function end(): void {
    room.arrived();
    if (batch) finish(null, batch.end());
    else
      finish(null, decodeJson(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  }

  const attempt = (step: () => void) => {
    if (isOver) return;
    try {
      step();
    } catch (error) {
      finish(error as Error);
    }
  };
  room.onRefused = () => finish(new Problem('too_many_events'));
  request.on('data', (chunk: Buffer) => attempt(() => take(chunk)));
  request.once('end', () => attempt(end));
  request.once('error', (error) => finish(error));
  // Almost every body comes with its head, and is over by then: no timer and no second listener for it.
  setImmediate(() => {
    if (isOver || request.complete) return;
    pace = watchSender(request, SENDER_PACE, clock, () => finish(new Problem('request_timeout')));
  });
}

class BatchReader {
  readonly #splitter = new EventSplitter(MOST_VALUES_IN_EVENT);
  readonly #batch = new CheckedBatch();
  readonly #checkEvent: Validator;

  constructor(checkEvent: Validator) {
    this.#checkEvent = checkEvent;
  }

  begin(first: Buffer): void {
    this.#take(() => this.#splitter.begin(first));
  }

  push(chunk: Buffer): void {
    this.#take(() => this.#splitter.push(chunk));
  }

  end(): CheckedBatch {
    this.#take(() => {
      this.#splitter.end();
      return [];
    });
    if (this.#batch.events.length === 0)
      throw invalidField('/events', 'must have at least 1 entry');
    return this.#batch;
  }

  #take(split: () => Iterable<Buffer>): void {
    try {
      for (const json of split()) this.#add(decodeJson(json));
    } catch (error) {
      throw error instanceof SplitError ? this.#problemOf(error) : error;
    }
  }

  #add(event: unknown): void {
    const { events } = this.#batch;
    if (events.length === MOST_EVENTS) {
      throw invalidField('/events', `must have at most ${MOST_EVENTS} entries`);
    }
    if (!this.#checkEvent(event)) {
      const validation = (this.#checkEvent.errors ?? []).map((error) => ({
        ...error,
        instancePath: `/events/${events.length}${error.instancePath}`,
      }));
      throw validationProblem({ validation } as FastifyError);
    }
    events.push(event as OrderEventInput);
  }

  #problemOf({ reason }: SplitError): Problem {
    const field = `/events/${this.#batch.events.length}`;
    switch (reason) {
      case 'not_an_object':
        return invalidField(field, 'must be an object');
      case 'event_too_long':
        return invalidField(field, `must have at most ${LONGEST_EVENT_BYTES / 1_024} KiB`);
      case 'too_many_values':
        return invalidField(field, `must have at most ${MOST_VALUES_IN_EVENT} values`);
      case 'not_a_batch':
        return new Problem(
          'validation_failed',
          `A body of more than ${LONGEST_EVENT_BYTES / 1_024} KiB must be {"events":[…]} and nothing else.`,
        );
      case 'unfinished':
        return new Problem('malformed_json');
    }
  }
}
