import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';
import type { Failure } from './failure.ts';

/** What happens to a connection. */
export interface ConnectionEvents {
  /** The reply is complete. The connection can carry another request within `idleMs`. */
  free(connection: ReceiverConnection, idleMs: number): void;
  closed(connection: ReceiverConnection): void;
}

/**
 * A connection to a receiver. It carries one exchange at a time:
 *
 *     free ──carry──→ busy ──reply──→ free … ──→ closed
 *
 * A request is never sent twice, on this connection or on another: a receiver that closes the connection
 * in the middle may have accepted the webhook.
 */
export class ReceiverConnection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #exchange: Exchange | undefined;
  /** When to close it if it stays idle. Set by `ReceiverConnections`. */
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

  /** The receiver may have closed it while it was idle; Node reports that a little later. */
  get isUsable(): boolean {
    return this.#socket.writable;
  }

  carry(exchange: Exchange, request: string): void {
    this.#exchange = exchange;
    exchange.onBrokenOff = () => this.close();
    this.#socket.write(request);
    exchange.sent();
  }

  /** Fails the exchange that it carries with this error. */
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
    // Unexpected bytes: the connection can no longer be trusted.
    if (this.#exchange && idleMs === undefined) return;
    this.#exchange = undefined;
    if (idleMs && this.#socket.writableLength === 0) {
      // One turn later: a receiver that closes after each reply may not have announced it.
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
