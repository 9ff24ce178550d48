import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';
import type { Failure } from './failure.ts';

/** What becomes of a connection. */
export interface ConnectionEvents {
  /** The reply is in, and the connection can carry the next request until `idleMs` from now. */
  free(connection: ReceiverConnection, idleMs: number): void;
  closed(connection: ReceiverConnection): void;
}

/**
 * A connection to a receiver, which carries one exchange at a time:
 *
 *     free ──carry──→ busy ──reply──→ free … ──→ closed
 *
 * A request is never sent a second time, on this connection or on another: a receiver that closes it
 * half-way may have taken the webhook.
 */
export class ReceiverConnection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #exchange: Exchange | undefined;
  /** When a free one is to be closed; the keeper's own. */
  idleUntilMs = 0;

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on('data', (chunk) => this.#receive(chunk as Buffer));
    socket.on('end', () => this.#end());
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => {
      this.#end();
      events.closed(this);
    });
  }

  /** A receiver may have closed it while it rested, which is told of only a little later. */
  get isUsable(): boolean {
    return this.#socket.writable;
  }

  carry(exchange: Exchange, request: string): void {
    this.#exchange = exchange;
    exchange.onBrokenOff = () => this.close();
    this.#socket.write(request);
    exchange.sent();
  }

  /** What it carries fails with this. */
  breakOff(failure: Failure): void {
    this.#exchange?.breakOff(failure);
    this.close();
  }

  close(): void {
    this.#exchange = undefined;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const idleMs = this.#exchange?.receive(chunk);
    // Bytes that nobody asked for: the connection cannot be trusted any more.
    if (this.#exchange && idleMs === undefined) return;
    this.#exchange = undefined;
    if (idleMs && this.#socket.writableLength === 0) {
      // A turn later, since a receiver that closes after each reply may not have said so in it.
      setImmediate(() => {
        if (this.isUsable) this.#events.free(this, idleMs);
      });
    } else {
      this.#socket.destroy();
    }
  }

  #end(): void {
    this.#exchange?.end();
    this.close();
  }

  #fail(error: Error): void {
    this.#exchange?.fail(error);
    this.close();
  }
}
