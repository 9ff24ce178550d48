import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { ReceiverConnection } from './connection.ts';
import type { Exchange } from './exchange.ts';
import { ABORTED } from './failure.ts';
import { IDLE_MS } from './reply-head.ts';

export type Dial = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
) => Socket | undefined;

interface Waiting {
  exchange: Exchange;
  request: string;
}

/** The connections to one origin: the one freed last is used first, so that the others can go. */
export class Origin {
  readonly #target: buildConnector.Options;
  readonly #dial: Dial;
  readonly #most: number;
  readonly #free: ReceiverConnection[] = [];
  readonly #open = new Set<ReceiverConnection>();
  readonly #dialling = new Set<Waiting>();
  readonly #waiting: Waiting[] = [];

  constructor(url: URL, dial: Dial, mostConnections: number) {
    const { host, hostname, port, protocol } = url;
    this.#target = { host, hostname: hostname.replace(/^\[|\]$/g, ''), port, protocol };
    this.#dial = dial;
    this.#most = mostConnections;
  }

  get isUnused(): boolean {
    return this.#open.size === 0 && this.#dialling.size === 0;
  }

  get #hasRoom(): boolean {
    return this.#open.size + this.#dialling.size < this.#most;
  }

  send(exchange: Exchange, request: string): void {
    const connection = this.#takeFree();
    if (connection) this.#carry(connection, { exchange, request });
    else if (this.#hasRoom) this.#connect({ exchange, request });
    else this.#waiting.push({ exchange, request });
  }

  closeIdle(nowMs: number): void {
    while ((this.#free[0]?.idleUntilMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      this.#free.shift()?.close();
    }
  }

  close(): void {
    const unsent = [...this.#waiting.splice(0), ...this.#dialling];
    for (const { exchange } of unsent) exchange.breakOff(ABORTED);
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

  #carry(connection: ReceiverConnection, { exchange, request }: Waiting): void {
    if (exchange.isWanted()) connection.carry(exchange, request);
    else this.#useFor(connection);
  }

  /** For whoever waits longest; nobody waits where connections are not bounded. */
  #useFor(connection: ReceiverConnection): void {
    const next = this.#waiting.shift();
    if (next) this.#carry(connection, next);
    else this.#free.push(connection);
  }

  #connect(first: Waiting): void {
    this.#dialling.add(first);
    const socket = this.#dial(this.#target, (error, connected) => {
      this.#dialling.delete(first);
      if (connected) this.#begin(connected, first);
      else {
        first.exchange.fail(error as Error);
        this.#connectForNext();
      }
    });
    // Then nobody is left who waits for it.
    first.exchange.onBrokenOff = () => socket?.destroy(new Error('given up'));
  }

  #begin(socket: Socket, first: Waiting): void {
    const connection = new ReceiverConnection(socket, {
      free: (freed, idleMs) => {
        freed.idleUntilMs = performance.now() + idleMs;
        this.#useFor(freed);
      },
      closed: (ended) => {
        this.#open.delete(ended);
        const at = this.#free.indexOf(ended);
        if (at >= 0) this.#free.splice(at, 1);
        this.#connectForNext();
      },
    });
    this.#open.add(connection);
    connection.idleUntilMs = performance.now() + IDLE_MS;
    this.#carry(connection, first);
  }

  #connectForNext(): void {
    if (!this.#hasRoom) return;
    for (;;) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (!next.exchange.isWanted()) continue;
      this.#connect(next);
      return;
    }
  }
}
