/**
 * Bounds a listener's connections. Without bounds, 300 callers that send and never read grew the process
 * from 231 MB to more than 2 GB. So a listener limits the connections per address and in total, and disconnects
 * callers that have stopped reading their replies.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Cidr, isInside, neighbourhood, plainAddress } from '../base/addresses/addresses.ts';
import type { Clock } from '../base/clock.ts';
import type { Metrics } from '../base/metrics.ts';
import { discardingAfterCut } from './discarded.ts';
import { createTurns } from './in-turn.ts';
import { replyInProgress } from './raw-reply.ts';
import { createRequests } from './small-pieces.ts';

export interface ConnectionLimits {
  inAll: number;
  /** From one address (an IPv6 /64 counts as one); trusted proxies have no such limit. */
  perAddress: number;
  /** A caller that has read nothing of a waiting reply for this long is disconnected. */
  stalledMs: number;
  /** How often that is checked. */
  checkMs: number;
  /** A caller that has stopped sending may still be reading. It is waited for while nothing is sent for this long. */
  halfClosedMs: number;
  /** The same for one that cannot be asked whether it is still there. */
  unaskedMs: number;
  /** How often callers that have stopped sending are looked at: one that is gone is noticed at the second look. */
  lookMs: number;
}

const LIMITS: ConnectionLimits = {
  inAll: 16_384,
  perAddress: 2_560,
  stalledMs: 30_000,
  checkMs: 5_000,
  // Longer than the upstream has by default.
  halfClosedMs: 75_000,
  unaskedMs: 5_000,
  lookMs: 1_000,
};

export interface ListenerContext {
  /** For the metrics: `production`, `sandbox`, `back-office`, `portal`. */
  listener: string;
  trustedProxies: readonly Cidr[];
  clock: Clock;
  metrics: Metrics;
  limits?: Partial<ConnectionLimits>;
}

/** Why the listener closed a connection. */
const REASONS = [
  ...(['connections_in_all', 'connections_per_address'] as const),
  ...(['stalled', 'half_closed', 'pipelined', 'handshake'] as const),
] as const;
type Reason = (typeof REASONS)[number];

export interface Connections {
  /** Options that the server must be created with. */
  serverOptions: ReturnType<typeof discardingAfterCut>;
  watch(server: Server): void;
  /** Wraps a request handler, so that pipelined requests wait for each other. */
  inTurn(serve: RequestListener): RequestListener;
}

export function boundConnections(context: ListenerContext): Connections {
  const { listener, trustedProxies, clock, metrics } = context;
  const limits = { ...LIMITS, ...context.limits };
  const open = new Set<Socket>();
  /** Over TLS, replies go to another socket than the one that was accepted. */
  const replying = new Map<Socket, Progress>();
  const halfClosed = new Map<Socket, HalfClosed>();
  const byAddress = new Map<string, number>();

  const cuts = new Map(
    REASONS.map((reason) => [
      reason,
      metrics.counter(
        'bellhop_connections_cut_total',
        'Connections that Bellhop closed, by listener and reason.',
        { listener, reason },
      ),
    ]),
  );

  function cut(reason: Reason, socket: Socket): void {
    cuts.get(reason)?.add();
    socket.destroy();
  }

  function admit(socket: Socket, isTls: boolean): void {
    // Not node's `maxConnections`: a listener has several sockets, and each would count its own.
    if (open.size >= limits.inAll) {
      cut('connections_in_all', socket);
      return;
    }
    const address = plainAddress(socket.remoteAddress ?? '');
    const neighbours = isInside(address, trustedProxies) ? undefined : neighbourhood(address);
    if (neighbours !== undefined) {
      const others = byAddress.get(neighbours) ?? 0;
      if (others >= limits.perAddress) {
        cut('connections_per_address', socket);
        return;
      }
      byAddress.set(neighbours, others + 1);
    }
    open.add(socket);
    if (!isTls) follow(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (neighbours !== undefined) release(neighbours);
    });
  }

  function release(neighbours: string): void {
    const left = (byAddress.get(neighbours) ?? 1) - 1;
    if (left > 0) byAddress.set(neighbours, left);
    else byAddress.delete(neighbours);
  }

  function follow(socket: Socket): void {
    replying.set(socket, { sentBytes: 0, sinceMs: performance.now() });
    socket.once('end', () => {
      halfClosed.set(socket, { sentBytes: sentOn(socket), sinceMs: performance.now() });
    });
    socket.once('close', () => {
      replying.delete(socket);
      halfClosed.delete(socket);
    });
  }

  function cutStalled(): void {
    const nowMs = performance.now();
    for (const [socket, progress] of replying) {
      if (isStalled(socket, progress, nowMs, limits.stalledMs)) cut('stalled', socket);
    }
  }

  function lookAtHalfClosed(): void {
    const nowMs = performance.now();
    for (const [socket, seen] of halfClosed) {
      const sentBytes = sentOn(socket);
      if (sentBytes !== seen.sentBytes) Object.assign(seen, { sentBytes, sinceMs: nowMs });
      const longestMs = seen.isAsked || canAsk(socket) ? limits.halfClosedMs : limits.unaskedMs;
      if (nowMs - seen.sinceMs >= longestMs) cut('half_closed', socket);
      else if (!seen.isAsked && canAsk(socket)) {
        seen.isAsked = true;
        replyInProgress(socket)?.writeContinue();
        // Not progress of the reply.
        seen.sentBytes = sentOn(socket);
      } else if (socket.writableLength === 0) socket.write('');
    }
  }

  function watchTls(server: Server): void {
    server.on('secureConnection', (socket: Socket) => {
      follow(socket);
    });
    // Otherwise it would be a `clientError`, and get an answer that nobody could read.
    server.removeAllListeners('tlsClientError');
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') cut('handshake', socket);
      else socket.destroy();
    });
  }

  return {
    serverOptions: discardingAfterCut(createRequests(clock)),
    watch(server) {
      const isTls = 'setSecureContext' in server;
      // Otherwise node:http drops what a caller asked before it stopped sending, although it was carried out.
      Object.assign(server, { httpAllowHalfOpen: true });
      server.on('connection', (socket: Socket) => admit(socket, isTls));
      if (isTls) watchTls(server);
      const checks = [
        setInterval(cutStalled, limits.checkMs).unref(),
        setInterval(lookAtHalfClosed, limits.lookMs).unref(),
      ];
      server.once('close', () => checks.forEach(clearInterval));
      metrics.gauge(
        'bellhop_connections',
        'Open connections by listener.',
        { listener },
        () => open.size,
      );
    },
    inTurn: createTurns((socket) => cut('pipelined', socket)),
  };
}

/** How much of its replies a caller has read, and since when that has not changed. */
interface Progress {
  sentBytes: number;
  sinceMs: number;
}

/** A caller that has stopped sending: how much was sent to it, and since when that has not changed. */
interface HalfClosed extends Progress {
  isAsked?: boolean;
}

function sentOn(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}

/**
 * TCP does not tell a caller that only stopped sending from one that is gone, such as after its own
 * time-out, until something is written. So it is sent an interim reply, which RFC 9110 (15.2) has every
 * caller ignore: one that is gone resets the connection. Since nothing is read any more, the next write
 * meets that, even an empty one. It is 100 because some clients take any other for the final reply. HTTP/1.0 has
 * no interim replies, and a reply that has started leaves no room for one.
 */
function canAsk(socket: Socket): boolean {
  const reply = replyInProgress(socket);
  return reply?.headersSent === false && reply.req.httpVersion === '1.1';
}

function isStalled(socket: Socket, progress: Progress, nowMs: number, stalledMs: number): boolean {
  const sentBytes = sentOn(socket);
  if (socket.writableLength > 0 && sentBytes === progress.sentBytes) {
    return nowMs - progress.sinceMs >= stalledMs;
  }
  progress.sentBytes = sentBytes;
  progress.sinceMs = nowMs;
  return false;
}
