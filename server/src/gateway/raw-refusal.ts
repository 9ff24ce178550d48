/** Refusals written straight to the socket, for requests that never became one for node:http. */
import type { Duplex } from 'node:stream';
import { endpointAt, OVERVIEW } from '../base/catalogue.ts';
import type { Clock } from '../base/clock.ts';
import { newRequestId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { http } from '../listener/node-http.ts';
import { type ParserError, parserRefusalOf, replyOnSocket } from '../listener/raw-reply.ts';
import { splitTarget } from './call.ts';
import { noteUnreadable } from './call-lines.ts';
import type { CallSamples } from './recorded-calls/samples.ts';
import { Refusal } from './refusal.ts';
import { ALLOWED_METHODS, type ErrorForm, refusalBody } from './reply.ts';

const REFUSALS = {
  malformed: 'malformedRequest',
  unknown_method: 'unexpectedMethod',
  headers_too_large: 'headersTooLarge',
  timeout: 'requestTimeout',
} as const;

/** Undefined if nobody is left to answer. */
export function refusalForParserError(error: ParserError): Refusal | undefined {
  const refused = parserRefusalOf(error);
  return refused && new Refusal(REFUSALS[refused]);
}

export interface RefusedRequest {
  address: string;
  /** Asked when the reply is written; undefined if nobody knows what the caller wanted. */
  target(): string | undefined;
}

export function refuseOnSocket(
  socket: Duplex,
  { kind }: Refusal,
  { address, target }: RefusedRequest,
  parts: { clock: Clock; log: Log; errorForm: ErrorForm; calls?: CallSamples | undefined },
): void {
  const { clock, log, errorForm, calls } = parts;
  replyOnSocket(socket, clock, () => {
    const id = newRequestId();
    const atMs = clock.now();
    const debug = {
      request_id: id,
      real_ip: address,
      utcnow: new Date(atMs).toISOString(),
    };
    const isOverview = endpointAt(splitTarget(target() ?? '').path) === OVERVIEW;
    const body = refusalBody(kind, debug, { form: errorForm, isOverview });
    const head = [
      `HTTP/1.1 ${kind.status} ${http.STATUS_CODES[kind.status]}`,
      'Content-Type: application/json',
      `X-Request-Id: ${id}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(kind.status === 405 ? [`Allow: ${ALLOWED_METHODS}`] : []),
      'Connection: close',
    ];
    log.info(
      { request_id: id, status: kind.status, real_ip: address, error: kind.code },
      'no request',
    );
    if (calls) noteUnreadable(calls, { id, address, kind, atMs });
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  });
}
