/**
 * Replies written straight to the socket, for requests that node:http refuses by itself. Each listener
 * answers them in its own form; the common part is here.
 */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';

/** How long to read from a refused caller that is still sending, so that it sees the reply. */
export const LINGER_MS = 5_000;

export type ParserError = Error & { code?: string; rawPacket?: Buffer; bytesParsed?: number };

export type ParserRefusal = 'malformed' | 'unknown_method' | 'headers_too_large' | 'timeout';

/** Matches a request line with any method. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/;

/** Undefined if nobody is left to answer. */
export function parserRefusalOf(error: ParserError): ParserRefusal | undefined {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return undefined;
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'timeout';
    case 'HPE_INVALID_METHOD':
      return REQUEST_LINE.test(requestIn(error)) ? 'unknown_method' : 'malformed';
    default:
      return 'malformed';
  }
}

/** From the end of the previous request, which may be in the same packet, to where the parser stopped. */
function requestIn({ rawPacket, bytesParsed = 0 }: ParserError): string {
  if (!rawPacket) return '';
  // The parser can stop at the end of the head itself, which does not end a previous request.
  const before = rawPacket.lastIndexOf('\r\n\r\n', Math.max(bytesParsed - 4, 0));
  return rawPacket.toString('latin1', before === -1 ? 0 : before + 4);
}

/** What the refused request asks for; undefined if its first line was in an earlier packet. */
export function targetOf(error: ParserError, socket: Duplex): string | undefined {
  const request = replyInProgress(socket)?.req;
  // The error is in the body of a request that is being answered.
  if (request && !request.complete) return request.url;
  return /^\S+ (\S+)/.exec(requestIn(error))?.[1];
}

export function replyInProgress(socket: Duplex): ServerResponse | null | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage;
}

/** Sends what `write` returns and closes the connection; only closes it if no reply can be sent. */
export function replyOnSocket(socket: Duplex, clock: Clock, write: () => string): void {
  // node:http removes its own listener before it hands over a CONNECT; an unhandled reset here would
  // crash the process.
  socket.on('error', () => socket.destroy());
  replyInTurn(socket, clock, write);
}

function replyInTurn(socket: Duplex, clock: Clock, write: () => string): void {
  const reply = replyInProgress(socket);
  if (reply?.req.complete && !reply.writableFinished) {
    // The error came after a complete request, whose reply goes first.
    reply.once('finish', () => setImmediate(() => replyInTurn(socket, clock, write)));
    return;
  }
  // A reply has already started: a second one would be read as part of it.
  if (!socket.writable || (reply?.headersSent && !reply.writableFinished)) {
    socket.destroy();
    return;
  }
  socket.end(write());
  const cut = clock.after(LINGER_MS, () => socket.destroy());
  socket.once('close', () => cut.cancel());
  socket.resume();
}
