/** The listener of the back office or the portal: its limits, and its answers to what is not a request at all. */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Cidr } from '../base/addresses/addresses.ts';
import type { Clock } from '../base/clock.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Certificate } from '../listener/certificate.ts';
import { boundConnections } from '../listener/connections.ts';
import { type ParserError, parserRefusalOf, replyOnSocket } from '../listener/raw-reply.ts';
import { createServer } from '../listener/server.ts';
import { Problem } from '../resources/problem.ts';
import { rawProblem } from './problem-replies.ts';

const LARGEST_HEADERS_BYTES = 16_384;
/** As the partner API's: longer than the idle time of common load balancers. */
const KEEP_ALIVE_MS = 75_000;

export interface Timeouts {
  /** For the whole request. */
  requestMs: number;
  /** How often that is checked. */
  checkMs: number;
}

const TIMEOUTS: Timeouts = { requestMs: 60_000, checkMs: 2_000 };

const REFUSALS = {
  malformed: 'malformed_request',
  unknown_method: 'method_not_implemented',
  headers_too_large: 'headers_too_large',
  timeout: 'request_timeout',
} as const;

export interface HttpServerParts {
  listener: 'back-office' | 'portal';
  trustedProxies: readonly Cidr[];
  clock: Clock;
  metrics: Metrics;
  timeouts?: Timeouts;
  /** Undefined if it speaks plain HTTP. */
  certificate?: Certificate | undefined;
}

export function createHttpServer(
  handler: RequestListener,
  { listener, trustedProxies, clock, metrics, timeouts = TIMEOUTS, certificate }: HttpServerParts,
): Server {
  const connections = boundConnections({ listener, trustedProxies, clock, metrics });
  const inTurn = connections.inTurn(handler);
  const server = createServer(
    {
      ...connections.serverOptions,
      maxHeaderSize: LARGEST_HEADERS_BYTES,
      headersTimeout: timeouts.requestMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Checked by `isValidMessage`: node:http's own refusal has no body.
      requireHostHeader: false,
    },
    certificate,
    inTurn,
  );
  connections.watch(server);
  // An expectation that nobody knows is no reason to refuse the request.
  server.on('checkExpectation', inTurn);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    replyOnSocket(socket, clock, () => rawProblem(new Problem('method_not_implemented')));
  });
  return server;
}

/** For `clientError`: whatever the parser refuses, or nobody sent in time. */
export function createParserRefusals(clock: Clock): (error: Error, socket: Duplex) => void {
  const refused = new WeakSet<Duplex>();
  return (error, socket) => {
    // What a caller sends after its request was refused is not a request either: ignored.
    if (refused.has(socket)) return;
    refused.add(socket);
    const refusal = parserRefusalOf(error as ParserError);
    if (!refusal) socket.destroy();
    else replyOnSocket(socket, clock, () => rawProblem(new Problem(REFUSALS[refusal])));
  };
}
