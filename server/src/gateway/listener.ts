/**
 * The partner API's HTTP server. It hands calls to the flow, and puts what node:http would answer by
 * itself (bad requests, time-outs, unknown methods) into the envelope as well.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cidr, plainAddress } from '../base/addresses/addresses.ts';
import { callerAddress } from '../base/addresses/caller-address.ts';
import { DatabaseAway } from '../base/database-errors.ts';
import type { Log } from '../base/log.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import type { Certificate } from '../listener/certificate.ts';
import type { Connections } from '../listener/connections.ts';
import { isArriving } from '../listener/linger.ts';
import { targetOf } from '../listener/raw-reply.ts';
import { createServer } from '../listener/server.ts';
import { isValidMessage } from '../listener/valid-message.ts';
import { answer, type Steps } from './answer.ts';
import { Call } from './call.ts';
import { beginCallSpan } from './call-spans.ts';
import { refusalForParserError, refuseOnSocket } from './raw-refusal.ts';
import type { RequestRecorder } from './record.ts';
import type { CallSamples } from './recorded-calls/samples.ts';
import type { ReferenceCalls } from './reference-calls.ts';
import { Refusal } from './refusal.ts';
import { type ErrorForm, sendRefusal } from './reply.ts';

const LARGEST_HEADERS_BYTES = 16_384;
/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 75_000;

export interface Timeouts {
  /** For the request line and the headers. */
  headersMs: number;
  /** For the whole request. */
  requestMs: number;
  /** How often the two are checked. */
  checkMs: number;
}

const TIMEOUTS: Timeouts = { headersMs: 20_000, requestMs: 60_000, checkMs: 2_000 };

export interface ListenerParts extends Steps {
  trustedProxies: readonly Cidr[];
  connections: Connections;
  errorForm: ErrorForm;
  record: RequestRecorder;
  /** Undefined if calls are not recorded. */
  calls?: CallSamples | undefined;
  /** Errors of the disk: the store itself has logged them, once for all calls. */
  isStorageTrouble(error: unknown): boolean;
  log: Log;
  tracer?: Tracer | undefined;
  timeouts?: Timeouts;
  /** Undefined if it speaks plain HTTP. */
  certificate?: Certificate | undefined;
  /** Undefined where browsers may not call, as in production. */
  referenceCalls?: ReferenceCalls | undefined;
}

export function createPartnerApi(parts: ListenerParts): Server {
  const { headersMs, requestMs, checkMs } = parts.timeouts ?? TIMEOUTS;
  const { connections, referenceCalls, tracer } = parts;
  const options = {
    ...connections.serverOptions,
    maxHeaderSize: LARGEST_HEADERS_BYTES,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Checked in `checkMessage`: node:http's own refusal has no envelope.
    requireHostHeader: false,
    // A request without a body does not need a stream's life cycle; this saves 1 µs per call.
    optimizeEmptyRequests: true,
  };
  const server = createServer(options, parts.certificate);
  const refusedSockets = new WeakSet<Duplex>();
  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const call = new Call(
      request,
      response,
      callerAddress(request, parts.trustedProxies),
      parts.clock.monotonic(),
    );
    if (tracer) call.trace = beginCallSpan(tracer, call);
    return call;
  };

  const serveInTurn = connections.inTurn((request, response) => {
    if (!referenceCalls?.(request, response)) serve(begin(request, response), parts);
  });
  connections.watch(server);
  server.on('request', serveInTurn);
  server.on('checkExpectation', serveInTurn);
  server.on(
    'checkContinue',
    connections.inTurn((request, response) => {
      const call = begin(request, response);
      call.expectsContinue = true;
      serve(call, parts);
    }),
  );
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const address = callerAddress(request, parts.trustedProxies);
    const refused = { address, target: () => request.url };
    refuseOnSocket(socket, new Refusal('unexpectedMethod'), refused, parts);
  });
  server.on('clientError', (error, socket) => {
    // Whatever a caller sends after its request was refused is discarded.
    if (refusedSockets.has(socket)) return;
    refusedSockets.add(socket);
    const refusal = refusalForParserError(error);
    const { remoteAddress = '' } = socket as Duplex & { remoteAddress?: string };
    if (!refusal) {
      socket.destroy();
      return;
    }
    const address = plainAddress(remoteAddress);
    refuseOnSocket(socket, refusal, { address, target: () => targetOf(error, socket) }, parts);
  });
  return server;
}

function serve(call: Call, parts: ListenerParts): void {
  let pending: Promise<void> | undefined;
  try {
    checkMessage(call.request);
    pending = answer(call, parts);
  } catch (error) {
    pending = Promise.reject(error);
  }
  if (!pending) {
    parts.record(call, undefined);
    return;
  }
  pending.then(
    () => parts.record(call, undefined),
    (error) => decline(call, error, parts),
  );
}

async function decline(call: Call, error: unknown, parts: ListenerParts): Promise<void> {
  const refusal = error instanceof Refusal ? error : fault(call, error, parts);
  await refuse(call, refusal, parts);
  parts.record(call, refusal);
}

/** Told to callers while the database does not answer. A failover takes some seconds. */
const TRY_AGAIN_AFTER_MS = 5_000;

function fault(call: Call, error: unknown, { isStorageTrouble, log }: ListenerParts): Refusal {
  // The store itself has logged it, once for all calls.
  if (error instanceof DatabaseAway) {
    return new Refusal('withoutDatabase', { retryAfterMs: TRY_AGAIN_AFTER_MS });
  }
  // A caller that hangs up in the middle of its body is not an error on our side.
  if (!call.request.socket.destroyed && !isStorageTrouble(error))
    log.error({ request_id: call.id, err: error }, 'request fault');
  return new Refusal('unknown');
}

async function refuse(call: Call, refusal: Refusal, parts: ListenerParts): Promise<void> {
  const { request, response, grant } = call;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (grant?.is_limited && !call.standing && refusal.kind.status < 500) {
    await findStanding(call, parts);
  }
  // The body may have arrived in the same packet as the headers, which is known one turn later.
  if (isArriving(request)) await nextTurn();
  sendRefusal(call, refusal, parts);
}

/** Every reply about a limited endpoint shows the state of the limit, even if the call did not count. */
async function findStanding(call: Call, { limiter, clock, log }: ListenerParts): Promise<void> {
  const { caller, grant } = call;
  if (!caller || !grant) return;
  const window = { requests: grant.requests_number, seconds: grant.seconds_number };
  try {
    const standing = await limiter.standing(caller.keyId, grant.endpoint, window);
    call.stands(standing, clock.monotonic());
  } catch (error) {
    log.warn({ request_id: call.id, err: error }, 'the limit could not be read');
  }
}

function checkMessage(request: IncomingMessage): void {
  if (!isValidMessage(request)) throw new Refusal('malformedRequest');
}
