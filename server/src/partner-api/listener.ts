/**
 * The partner API's HTTP server. Besides handing calls to the flow it sees to it that whatever
 * node:http would answer by itself (bad requests, time-outs, odd methods) comes in the envelope too.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Cidr } from '../config/values.ts';
import type { Log } from '../log.ts';
import { answer, type Steps } from './answer.ts';
import { Call } from './call.ts';
import { callerAddress } from './caller-address.ts';
import { refusalForParserError, refuseOnSocket } from './raw-refusal.ts';
import type { RequestRecorder } from './record.ts';
import { Refusal } from './refusal.ts';
import { sendRefusal } from './reply.ts';

const LARGEST_HEADERS_BYTES = 16_384;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
const TIMEOUT_CHECK_MS = 2_000;
/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 75_000;
/** What a refused caller may still send before the connection is cut. */
const LINGER_BYTES = 16 * 1_048_576;

export interface ListenerParts extends Steps {
  trustedProxies: readonly Cidr[];
  record: RequestRecorder;
  log: Log;
}

export function createPartnerApi(parts: ListenerParts): Server {
  const server = createServer({
    maxHeaderSize: LARGEST_HEADERS_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Checked in `serve`: node:http's own refusal has no envelope.
    requireHostHeader: false,
  });
  const begin = (request: IncomingMessage, response: ServerResponse) =>
    new Call(
      request,
      response,
      callerAddress(request, parts.trustedProxies),
      parts.clock.monotonic(),
    );

  server.on('request', (request, response) => serve(begin(request, response), parts));
  server.on('checkExpectation', (request, response) => serve(begin(request, response), parts));
  server.on('checkContinue', (request, response) => {
    const call = begin(request, response);
    call.expectsContinue = true;
    serve(call, parts);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const address = callerAddress(request, parts.trustedProxies);
    refuseOnSocket(socket, new Refusal('unexpectedMethod'), address, parts);
  });
  server.on('clientError', (error, socket) => {
    const refusal = refusalForParserError(error);
    const { remoteAddress = '' } = socket as Duplex & { remoteAddress?: string };
    if (refusal) refuseOnSocket(socket, refusal, remoteAddress, parts);
    else socket.destroy();
  });
  return server;
}

async function serve(call: Call, parts: ListenerParts): Promise<void> {
  let refusal: Refusal | undefined;
  try {
    if (call.request.httpVersion === '1.1' && call.request.headers.host === undefined) {
      throw new Refusal('malformedRequest');
    }
    await answer(call, parts);
  } catch (error) {
    refusal = error instanceof Refusal ? error : fault(call, error, parts.log);
    await refuse(call, refusal, parts);
  }
  parts.record(call, refusal);
}

function fault(call: Call, error: unknown, log: Log): Refusal {
  // A caller who hangs up in the middle of a body is no fault of ours.
  if (!call.request.socket.destroyed)
    log.error({ request_id: call.id, err: error }, 'request fault');
  return new Refusal('unknown');
}

async function refuse(call: Call, refusal: Refusal, parts: ListenerParts): Promise<void> {
  const { request, response, grant } = call;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (grant?.is_limited && !call.standing && refusal.kind.status !== 500) {
    await findStanding(call, parts);
  }
  if (!request.complete) discardRest(request);
  sendRefusal(call, refusal, parts.clock);
}

/** Every reply about a limited endpoint says where the key stands, also one that cost nothing. */
async function findStanding(call: Call, { limiter, log }: ListenerParts): Promise<void> {
  const { keyId, grant } = call;
  if (keyId === undefined || !grant) return;
  const window = { requests: grant.requests_number, seconds: grant.seconds_number };
  try {
    call.standing = await limiter.standing(keyId, grant.endpoint, window);
  } catch (error) {
    log.warn({ request_id: call.id, err: error }, 'the limit could not be read');
  }
}

/**
 * Closing at once on a caller that is still sending resets the connection, and the refusal is lost
 * on the way; so the rest is read and thrown away, up to a point.
 */
function discardRest(request: IncomingMessage): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) request.socket.destroy();
  });
  request.on('error', () => {});
}
