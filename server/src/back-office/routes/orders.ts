/** Accepts one order event or up to a thousand, all or nothing. Replies once everything is durable. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EnvironmentName } from '../../config/settings.ts';
import { type EventTrace, traceEvents } from '../../orders/event-trace.ts';
import type { Intake } from '../../orders/intake.ts';
import type { Rejection } from '../../orders/order-event.ts';
import { invalidField } from '../../support/input.ts';
import { Problem } from '../../support/problem.ts';
import type { App, RouteParts } from '../app.ts';
import { inEnvironment } from '../schemas/forms.ts';
import { EventOutcomes, OrderEvents } from '../schemas/orders.ts';

/** Enough for 1,000 events of the greatest length with every character escaped. */
const LARGEST_BATCH_BYTES = 32 * 1_048_576;

export function orderRoutes(app: App, { signIn, environmentOf, tracer }: RouteParts): void {
  /** Of the requests in progress. */
  const traces = new WeakMap<FastifyRequest, EventTrace>();
  const takeIn = async (request: FastifyRequest, reply: FastifyReply) => {
    const params = request.params as { environment: EnvironmentName };
    const { name, webhooks } = environmentOf({ params });
    const trace = traceEvents(request.headers, name, tracer);
    if (trace) traces.set(request, trace);
    holdRoom(webhooks.intake, request, reply);
  };
  const endTrace = async (request: FastifyRequest, reply: FastifyReply) => {
    traces.get(request)?.end(reply.statusCode);
  };
  app.post(
    '/orders/v1/:environment/events',
    {
      onRequest: [signIn.reportsOrders, takeIn],
      ...(tracer && { onResponse: endTrace }),
      bodyLimit: LARGEST_BATCH_BYTES,
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
      const trace = traces.get(request as unknown as FastifyRequest);
      if (trace) trace.events = events.length;
      const verdict = await environmentOf(request).webhooks.accept(events, trace?.stored);
      if ('rejection' in verdict) throw problemFor(verdict.rejection, isBatch);
      return reply.code(202).send(verdict);
    },
  );
}

/** Holds room for the body until the request is answered, or refuses it before the body is read. */
function holdRoom(intake: Intake, request: FastifyRequest, reply: FastifyReply): void {
  const announced = request.headers['content-length'];
  const leave = intake.enter(announced === undefined ? undefined : Number(announced));
  if (!leave) throw new Problem('too_many_events');
  reply.raw.once('close', leave);
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
