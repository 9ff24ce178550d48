/**
 * A connection to PostgreSQL with a deadline for everything: connecting, an answer, closing. A connection
 * whose answer is late is destroyed. pg's own `query_timeout` only fails the query: the connection stays
 * busy, Kysely returns it to the pool, and the next query waits behind the one that hangs.
 */
import pg from 'pg';
import { DatabaseAway } from '../../base/database-errors.ts';
import type { Liveness } from './liveness.ts';

/** After this long idle, the system probes the connection: ten probes, one second apart. */
const KEEP_ALIVE_MS = 10_000;
/** A server that is gone never closes its side, so after this long we close ours alone. */
const GOODBYE_MS = 1_000;

export interface ConnectionLimits {
  connectMs: number;
  /** How long to wait for the answer to one statement. */
  answerMs: number;
}

export interface Connection extends pg.Client {
  /** When the current statement was sent, by `performance.now`; undefined if there is none. */
  readonly waitingSinceMs: number | undefined;
  /** Fails the current statement and closes the socket without a goodbye to PostgreSQL. */
  giveUp(error: Error): void;
}

export type ConnectionClass = new (config?: pg.ClientConfig) => Connection;

/** What connections were lost by. */
const losses = new WeakSet<Error>();

/** `query` of a pool fails with what its connection was lost by, before our own error reaches it. */
export function awayIfLost(error: Error): Error {
  return losses.has(error) ? awayFrom(error) : error;
}

export function connectionClass(limits: ConnectionLimits, liveness: Liveness): ConnectionClass {
  const { connectMs, answerMs } = limits;
  return class extends pg.Client {
    #lost = false;
    waitingSinceMs: number | undefined;

    constructor(config?: pg.ClientConfig) {
      super({
        ...config,
        connectionTimeoutMillis: connectMs,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      });
      // The pool listens for errors only while a connection is idle. Without this listener, a connection
      // that PostgreSQL ends between two statements would crash the process. The next statement fails.
      this.on('error', (error) => {
        this.#lost = true;
        losses.add(error);
      });
    }

    /** The pool passes a callback; Kysely does not. */
    override query(...args: unknown[]): never {
      // The original has many types, which depend on the arguments.
      return this.#ask(args) as never;
    }

    #ask(args: unknown[]): unknown {
      const answered = this.#expectAnswer();
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        args[args.length - 1] = (error: Error | null, result: unknown) =>
          callback(answered(error), result);
        return this.#send(args);
      }
      return (this.#send(args) as Promise<unknown>).then(
        (result) => {
          answered(null);
          return result;
        },
        (error) => {
          throw answered(error);
        },
      );
    }

    override end(): Promise<void>;
    override end(callback: (error: Error) => void): void;
    override end(callback?: (error: Error) => void): Promise<void> | undefined {
      this.#lost = true;
      const cut = setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS).unref();
      this.once('end', () => clearTimeout(cut));
      if (!callback) return super.end();
      super.end(callback);
      return undefined;
    }

    giveUp(error: Error): void {
      this.connection.stream.destroy(error);
    }

    #send(args: unknown[]): unknown {
      return (super.query as (...args: unknown[]) => unknown).apply(this, args);
    }

    /** Call the returned function with the answer. It replaces pg's errors with our own. */
    #expectAnswer(): (error: Error | null) => Error | null {
      let waiting = true;
      this.waitingSinceMs ??= performance.now();
      const late = setTimeout(() => {
        // First read answers that have already arrived: this process itself may have been frozen.
        setImmediate(() => {
          if (waiting) this.giveUp(noAnswer(answerMs));
        });
      }, answerMs);
      return (error) => {
        waiting = false;
        this.waitingSinceMs = undefined;
        clearTimeout(late);
        if (!error || error instanceof pg.DatabaseError) liveness.heard();
        return error && (this.#lost || saysThatItIsAway(error) ? awayFrom(error) : error);
      };
    }
  };
}

/** No answer came in time. Other errors show at once. */
export class NoAnswer extends DatabaseAway {}

export function noAnswer(afterMs: number): NoAnswer {
  return new NoAnswer(`PostgreSQL did not answer within ${afterMs / 1_000} s`);
}

export function awayFrom(error: Error & { code?: string }): DatabaseAway {
  if (error instanceof DatabaseAway) return error;
  switch (error.message) {
    // pg's message for a connection that was not made in time …
    case 'timeout expired':
      return new NoAnswer('PostgreSQL does not answer', { cause: error });
    // … and for a pool in which none became free.
    case 'timeout exceeded when trying to connect':
      return new DatabaseAway('no connection to PostgreSQL became free', { cause: error });
    default:
      return new DatabaseAway(error.message || error.code || 'no reason given', { cause: error });
  }
}

/** PostgreSQL's code for an error, also if we call it `DatabaseAway`. */
export function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return code ?? cause?.code ?? '';
}

/** Wrong password, or a user that may not sign in like this. */
const REFUSED_USER = ['28P01', '28000'];

export function refusesUser(error: unknown): boolean {
  return REFUSED_USER.includes(codeOf(error));
}

/** It has no connection left, or has ended one whose transaction was idle or took too long. */
const AWAY = ['53300', '25P03', '25P04'];

/** The same, or PostgreSQL is stopping or starting, or the connection failed. */
function saysThatItIsAway({ code = '' }: Error & { code?: string }): boolean {
  return AWAY.includes(code) || code.startsWith('57P') || code.startsWith('08');
}
