import type { Socket } from 'node:net';
import { failureWithoutTls } from '@bellhop/partner/receiver-check';
import type { ClientIdentity } from './client-certificate.ts';
import { ReceiverConnection } from './connection.ts';
import type { Dial, DialTarget, Peer } from './dial.ts';
import type { Exchange } from './exchange.ts';
import { ABORTED, REUSED } from './failure.ts';
import { IDLE_MS } from './reply-head.ts';

/**
 * The connections to one receiver, identified by its whole URL and the certificate that we show it. Receivers on the same host share none:
 * bytes that one sends after its reply could be mistaken for the reply of the other. The connection freed
 * last is used first, so that the others can expire. `max_in_flight` of each midoffice bounds their
 * number.
 */
export class ReceiverConnections {
  readonly #target: DialTarget;
  readonly #dial: Dial;
  readonly #free: ReceiverConnection[] = [];
  readonly #open = new Set<ReceiverConnection>();
  readonly #dialling = new Set<Exchange>();
  readonly #reuse = new Reuse();

  constructor(url: URL, dial: Dial, identity?: ClientIdentity) {
    const { hostname, port, protocol } = url;
    const host = hostname.replace(/^\[|\]$/g, '');
    this.#target = { hostname: host, port, protocol, ...(identity && { identity }) };
    this.#dial = dial;
  }

  isForgettable(nowMs: number): boolean {
    const isUnused = this.#open.size === 0 && this.#dialling.size === 0;
    return isUnused && this.#reuse.isUnblemished(nowMs);
  }

  get areReused(): boolean {
    return this.#reuse.isAllowed(performance.now());
  }

  send(exchange: Exchange, request: string, onNewConnection: boolean): void {
    const connection = onNewConnection ? undefined : this.#takeFree();
    if (connection) this.#carryAgain(connection, exchange, request);
    else this.#connect(exchange, request);
  }

  closeIdle(nowMs: number): void {
    while ((this.#free[0]?.idleUntilMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      this.#free.shift()?.close();
    }
  }

  close(): void {
    for (const exchange of [...this.#dialling]) exchange.breakOff(ABORTED);
    for (const connection of [...this.#open]) connection.breakOff(ABORTED);
  }

  #takeFree(): ReceiverConnection | undefined {
    const nowMs = performance.now();
    for (;;) {
      const connection = this.#free.pop();
      if (!connection) return undefined;
      if (connection.isUsable && connection.idleUntilMs > nowMs) return connection;
      connection.close();
    }
  }

  #carryAgain(connection: ReceiverConnection, exchange: Exchange, request: string): void {
    exchange.onNoReply = (explain) => {
      this.#reuse.lost(performance.now());
      if (!this.areReused) for (const free of this.#free.splice(0)) free.close();
      explain(REUSED);
    };
    connection.carry(exchange, request);
  }

  #connect(exchange: Exchange, request: string): void {
    this.#dialFor(exchange, this.#target, (error, socket, peer) => {
      if (error) exchange.fail(error);
      else this.#begin(socket, peer, exchange, request);
    });
  }

  #dialFor(exchange: Exchange, target: DialTarget, callback: Parameters<Dial>[1]): void {
    this.#dialling.add(exchange);
    const dialled = this.#dial(target, (...outcome) => {
      this.#dialling.delete(exchange);
      callback(...outcome);
    });
    // Nobody waits for it any more.
    exchange.onBrokenOff = () => dialled?.destroy(new Error('given up'));
    exchange.lateAs = () => dialled?.lateAs;
  }

  /** Only for a connection that is new: one that has carried a reply speaks HTTP. */
  #explainNoReply(exchange: Exchange, { address, port }: Peer): void {
    if (this.#target.protocol !== 'http:' || address === undefined) return;
    const target = { hostname: address, port: String(port), protocol: 'https:' };
    exchange.onNoReply = (explain) =>
      this.#dialFor(exchange, target, (...[error, socket]) => {
        socket?.destroy();
        explain(failureWithoutTls(error));
      });
  }

  #begin(socket: Socket, peer: Peer, exchange: Exchange, request: string): void {
    this.#explainNoReply(exchange, peer);
    const connection = new ReceiverConnection(socket, {
      free: (freed, idleMs) => {
        if (!this.areReused) return freed.close();
        freed.idleUntilMs = performance.now() + idleMs;
        this.#free.push(freed);
      },
      closed: (ended) => {
        this.#open.delete(ended);
        const at = this.#free.indexOf(ended);
        if (at >= 0) this.#free.splice(at, 1);
      },
    });
    this.#open.add(connection);
    connection.idleUntilMs = performance.now() + IDLE_MS;
    if (exchange.isWanted()) connection.carry(exchange, request);
    else connection.close();
  }
}

/** A second loss within this time ends the reuse … */
const WITHIN_MS = 60_000;
/** … for this long. */
const NO_REUSE_MS = 10 * 60_000;

/**
 * Whether connections to a receiver may carry more than one request. A POST that meets the end of a used connection is
 * lost, and has to be made again. Once in a while that cannot be avoided: whoever is idle may close at any moment. A
 * receiver that does it again and again closes after each reply without saying so, and would lose half of its webhooks
 * under load.
 */
export class Reuse {
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #allowedFromMs = Number.NEGATIVE_INFINITY;

  /** A used connection ended before any byte of a reply. */
  lost(nowMs: number): void {
    if (nowMs - this.#lostAtMs < WITHIN_MS) this.#allowedFromMs = nowMs + NO_REUSE_MS;
    this.#lostAtMs = nowMs;
  }

  isAllowed(nowMs: number): boolean {
    return nowMs >= this.#allowedFromMs;
  }

  /** Whether there is nothing to remember. */
  isUnblemished(nowMs: number): boolean {
    return this.isAllowed(nowMs) && nowMs - this.#lostAtMs >= WITHIN_MS;
  }
}
