/** Refusals written straight to the socket, for requests that never became one for node:http. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import { newRequestId } from '../ids.ts';
import type { Log } from '../log.ts';
import { Refusal } from './refusal.ts';
import { ALLOWED_METHODS, type ErrorForm, refusalBody } from './reply.ts';
import { LINGER_MS } from './request-body.ts';

/** What looks like a request line, whatever the method. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/;

type ParserError = Error & { code?: string; rawPacket?: Buffer; bytesParsed?: number };

/** Undefined where there is nobody left to answer. */
export function refusalForParserError(error: ParserError): Refusal | undefined {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return undefined;
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('headersTooLarge');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('requestTimeout');
    case 'HPE_INVALID_METHOD':
      return new Refusal(
        REQUEST_LINE.test(requestIn(error)) ? 'unexpectedMethod' : 'malformedRequest',
      );
    default:
      return new Refusal('malformedRequest');
  }
}

/** From where the parser stopped back to the end of the request before, which may have come along. */
function requestIn({ rawPacket, bytesParsed = 0 }: ParserError): string {
  if (!rawPacket) return '';
  const before = rawPacket.lastIndexOf('\r\n\r\n', bytesParsed);
  return rawPacket.toString('latin1', before === -1 ? 0 : before + 4);
}

export function refuseOnSocket(
  socket: Duplex,
  refusal: Refusal,
  address: string,
  parts: { clock: Clock; log: Log; errorForm: ErrorForm },
): void {
  const { kind } = refusal;
  const { clock, log } = parts;
  // node:http takes its own away before it hands a CONNECT over; whoever resets then ended us all.
  socket.on('error', () => socket.destroy());
  const reply = (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage;
  if (reply?.req.complete && !reply.writableFinished) {
    // What is wrong came after a whole request, whose reply comes first.
    reply.once('finish', () => setImmediate(() => refuseOnSocket(socket, refusal, address, parts)));
    return;
  }
  // A reply is on its way already: a second one would be taken for part of it.
  if (!socket.writable || (reply?.headersSent && !reply.writableFinished)) {
    socket.destroy();
    return;
  }
  const id = newRequestId();
  const debug = {
    request_id: id,
    real_ip: address,
    utcnow: new Date(clock.now()).toISOString(),
  };
  // Whatever was asked for: it never became a call of the overview.
  const body = refusalBody(kind, debug, { form: parts.errorForm, isOverview: false });
  const head = [
    `HTTP/1.1 ${kind.status} ${STATUS_CODES[kind.status]}`,
    'Content-Type: application/json',
    `X-Request-Id: ${id}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(kind.status === 405 ? [`Allow: ${ALLOWED_METHODS}`] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  log.info(
    { request_id: id, status: kind.status, real_ip: address, error: kind.code },
    'no request',
  );
  // Whoever is still sending is read on for a while: see `linger`.
  const cut = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => cut.cancel());
  socket.resume();
}
