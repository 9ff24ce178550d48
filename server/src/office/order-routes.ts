/** Accepts one order event or up to a thousand, all or nothing. Replies once everything is durable. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EnvironmentName } from '../base/config/settings.ts';
import { LARGEST_BATCH_BYTES } from '../delivery/orders/intake.ts';
import type { Rejection } from '../delivery/orders/order-event.ts';
import { inEnvironment } from '../resources/forms.ts';
import { invalidField, Problem } from '../resources/problem.ts';
import { type App, typed } from './http-app.ts';
import { CheckedBatch } from './order-body.ts';
import { type OrderParts, OrderRequest } from './order-request.ts';
import { EventOutcomes, OrderEvents } from './order-schemas.ts';
import { createQuickOrders } from './quick-orders.ts';
import { compileSchema, type Validator } from './validator.ts';

export function orderRoutes(app: App, parts: OrderParts): void {
  app.first.quickWay = createQuickOrders(parts);
  // A scope of its own, because only here a body is read while it arrives.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    eventsRoute(typed(scope), parts);
  });
}

function eventsRoute(app: App, { signIn, environmentOf, clock, tracer }: OrderParts): void {
  const takeIn = async ({ raw, params }: FastifyRequest, reply: FastifyReply) => {
    const environment = environmentOf({ params: params as { environment: EnvironmentName } });
    const one =
      OrderRequest.inProgress(raw) ?? new OrderRequest(raw, reply.raw, environment, tracer);
    if (one.refusal?.code === 'body_too_large') reply.header('connection', 'close');
    if (one.refusal) throw one.refusal;
  };
  app.addContentTypeParser('application/json', ({ raw }, _payload, done) => {
    OrderRequest.inProgress(raw)?.read(clock, done);
  });
  const endTrace = async ({ raw }: FastifyRequest, reply: FastifyReply) => {
    OrderRequest.inProgress(raw)?.trace?.end(reply.statusCode);
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
      const { raw, body } = request;
      const isBatch = 'events' in body;
      const one = OrderRequest.inProgress(raw) as OrderRequest;
      const verdict = await one.accept(isBatch ? body.events : [body]);
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
