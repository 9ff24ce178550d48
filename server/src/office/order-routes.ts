/** Accepts one order event or up to a thousand, all or nothing. Replies once everything is durable. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import { type ArrivingBody, LARGEST_BATCH_BYTES } from '../delivery/orders/intake.ts';
import type { Rejection } from '../delivery/orders/order-event.ts';
import { inEnvironment } from '../resources/forms.ts';
import { invalidField, Problem } from '../resources/problem.ts';
import type { RouteParts } from './add-routes.ts';
import { type EventTrace, traceEvents } from './event-trace.ts';
import { type App, typed } from './http-app.ts';
import { CheckedBatch, readOrderBody } from './order-body.ts';
import { EventOutcomes, OrderEvent, OrderEvents } from './order-schemas.ts';
import { bodyTooLarge } from './problem-replies.ts';
import { compileSchema, type Validator } from './validator.ts';

interface OrderParts extends RouteParts {
  clock: Clock;
  /** Undefined if order events are not traced. */
  tracer?: Tracer | undefined;
}

export function orderRoutes(app: App, parts: OrderParts): void {
  // A scope of its own, because only here a body is read while it arrives.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    eventsRoute(typed(scope), parts);
  });
}

function eventsRoute(app: App, { signIn, environmentOf, clock, tracer }: OrderParts): void {
  const checkEvent = compileSchema(OrderEvent);
  /** Of the requests in progress. */
  const traces = new WeakMap<object, EventTrace>();
  const rooms = new WeakMap<FastifyRequest, ArrivingBody>();

  const takeIn = async (request: FastifyRequest, reply: FastifyReply) => {
    const params = request.params as { environment: EnvironmentName };
    const { name, webhooks } = environmentOf({ params });
    const trace = traceEvents(request.headers, name, tracer);
    if (trace) traces.set(request, trace);
    // Refused before the body is read, if it says that it is too large.
    if (Number(request.headers['content-length'] ?? 0) > LARGEST_BATCH_BYTES) {
      reply.header('connection', 'close');
      throw bodyTooLarge(LARGEST_BATCH_BYTES);
    }
    const room = webhooks.intake.enter();
    if (!room) throw new Problem('too_many_events');
    rooms.set(request, room);
    reply.raw.once('close', room.leave);
  };
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const room = rooms.get(request) as ArrivingBody;
    readOrderBody(payload as typeof request.raw, { room, checkEvent, clock }, done);
  });
  const endTrace = async (request: FastifyRequest, reply: FastifyReply) => {
    traces.get(request)?.end(reply.statusCode);
  };
  app.post(
    '/orders/v1/:environment/events',
    {
      onRequest: [signIn.reportOrders, takeIn],
      ...(tracer && { onResponse: endTrace }),
      bodyLimit: LARGEST_BATCH_BYTES,
      validatorCompiler: ({ schema, httpPart }) =>
        httpPart === 'body' ? unlessChecked(compileSchema(schema)) : compileSchema(schema),
      config: { problems: ['event_id_reused', 'too_many_events'] },
      schema: {
        tags: ['orders'],
        operationId: 'reportOrderEvents',
        summary: 'Report that orders were created, changed or cancelled',
        security: [{ token: [] }],
        params: inEnvironment,
        body: OrderEvents,
        response: { 202: EventOutcomes },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const isBatch = 'events' in body;
      const events = isBatch ? body.events : [body];
      const trace = traces.get(request);
      if (trace) trace.events = events.length;
      const verdict = await environmentOf(request).webhooks.accept(events, trace?.stored);
      if ('rejection' in verdict) throw problemFor(verdict.rejection, isBatch);
      return reply.code(202).send(verdict);
    },
  );
}

function unlessChecked(check: Validator): Validator {
  const validator: Validator = (body) => {
    if (body instanceof CheckedBatch || check(body)) return true;
    validator.errors = check.errors;
    return false;
  };
  return validator;
}

function problemFor({ index, reason }: Rejection, isBatch: boolean): Problem {
  const prefix = isBatch ? `/events/${index}` : '';
  if (reason === 'event_id_reused') {
    const field = `${prefix}/event_id`;
    const detail = 'was accepted before with other content';
    return new Problem('event_id_reused', `${field} ${detail}.`, [{ field, detail }]);
  }
  const [name, detail] =
    reason === 'unknown_partner'
      ? ['partner_id', 'must be a partner of this environment']
      : ['midoffice_id', 'must be a midoffice of this environment'];
  return invalidField(`${prefix}/${name}`, detail);
}
