/**
 * The short way of a small request with order events. Booking systems post events one by one, and what Fastify does for
 * each took a quarter of its cost. Only what is accepted ends here. Whatever this way does not know goes to Fastify,
 * before the first step or after any of them, so that every refusal is made in one place.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isValidMessage } from '../listener/valid-message.ts';
import { LONGEST_EVENT_BYTES } from './event-splitter.ts';
import type { QuickWay } from './http-app.ts';
import { type OrderParts, OrderRequest } from './order-request.ts';
import { OrderEvents, type ReportedEvents } from './order-schemas.ts';
import { headersOfReplies } from './security-headers.ts';
import { compileSchema } from './validator.ts';

export function createQuickOrders({
  signIn,
  environments,
  clock,
  tracer,
  certificate,
}: OrderParts): QuickWay {
  const addresses = new Map(
    [...environments].map(([name, one]) => [`/orders/v1/${name}/events`, one]),
  );
  const isBody = compileSchema(OrderEvents);
  const headers = Object.entries(headersOfReplies(certificate !== undefined)).flat();
  headers.push('content-type', 'application/json; charset=utf-8', 'content-length');

  return (request, response, handOver) => {
    const environment = addresses.get(request.url ?? '');
    if (!environment || request.method !== 'POST' || !isOrdinary(request.headers)) return false;
    if (!isValidMessage(request) || !signIn.knowsReporter(request.headers)) return false;
    const one = new OrderRequest(request, response, environment, tracer);
    if (one.refusal) return false;
    one.read(clock, (error, body) => {
      if (error || !isBody(body)) return handOver();
      const reported = body as ReportedEvents;
      one.accept('events' in reported ? reported.events : [reported]).then((verdict) => {
        if ('rejection' in verdict) return handOver();
        if (one.trace) response.once('finish', () => one.trace?.end(response.statusCode));
        const json = JSON.stringify(verdict);
        response.writeHead(202, [...headers, String(Buffer.byteLength(json))]).end(json);
      }, handOver);
    });
    return true;
  };
}

/** A small JSON body as almost everybody sends it. */
function isOrdinary(headers: IncomingHttpHeaders): boolean {
  const length = Number(headers['content-length']);
  return (
    headers['content-type'] === 'application/json' &&
    length > 0 &&
    length <= LONGEST_EVENT_BYTES &&
    headers['transfer-encoding'] === undefined &&
    headers['content-encoding'] === undefined
  );
}
