/**
 * A connection to PostgreSQL with a deadline for everything: connecting, an answer, closing.
 * One that does not get its answer in time is destroyed. pg's own `query_timeout` only fails the
 * query: the connection stays busy with it, Kysely gives it back to the pool, and the next query
 * waits behind the one that hangs.
 */
import pg from 'pg';
import { DatabaseAway } from '../database-away.ts';
import type { Heartbeat } from './liveness.ts';

/** Idle for this long, a connection is probed by the system, which takes ten probes of a second each. */
const KEEP_ALIVE_MS = 10_000;
/** A server that is gone never closes its side; then ours is closed without it. */
const GOODBYE_MS = 1_000;

export const SCHEMA = 'bellhop';

/**
 * What every connection begins with. PostgreSQL would keep the session of a node that vanished, and
 * the locks of its transaction, for as long as the system takes to notice: two hours by default.
 */
export const SESSION = `
  set search_path to ${SCHEMA};
  set idle_in_transaction_session_timeout to '60s';
  set tcp_keepalives_idle to 30;
  set tcp_keepalives_interval to 10;
  set tcp_keepalives_count to 3`;

export interface ConnectionLimits {
  connectMs: number;
  /** For the answer to one statement. */
  answerMs: number;
}

export interface Connection extends pg.Client {
  /** When the question was asked that is waited for, by `performance.now`; undefined while none is. */
  readonly waitingSinceMs: number | undefined;
  /** Fails whatever waits for an answer, and leaves without a word. */
  giveUp(error: Error): void;
}

export type ConnectionClass = new (config?: pg.ClientConfig) => Connection;

export function connectionClass(limits: ConnectionLimits, heartbeat: Heartbeat): ConnectionClass {
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
      // The pool listens only while a connection is idle. One that PostgreSQL ends between two
      // statements of a transaction would otherwise end the process; the next statement tells.
      this.on('error', () => {
        this.#lost = true;
      });
    }

    /** With a callback, as the pool asks, or without, as Kysely does. */
    override query(...args: unknown[]): never {
      const answered = this.#expectAnswer();
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        args[args.length - 1] = (error: Error | null, result: unknown) =>
          callback(answered(error), result);
        return this.#send(args) as never;
      }
      return (this.#send(args) as Promise<unknown>).then(
        (result) => {
          answered(null);
          return result;
        },
        (error) => {
          throw answered(error);
        },
      ) as never;
    }

    override end(callback?: (error: Error) => void): never {
      this.#lost = true;
      const cut = setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS).unref();
      this.once('end', () => clearTimeout(cut));
      return (callback ? super.end(callback) : super.end()) as never;
    }

    giveUp(error: Error): void {
      this.connection.stream.destroy(error);
    }

    #send(args: unknown[]): unknown {
      return (super.query as (...args: unknown[]) => unknown).apply(this, args);
    }

    /** Call what it returns when the answer is there; it says what went wrong in our own words. */
    #expectAnswer(): (error: Error | null) => Error | null {
      let waiting = true;
      this.waitingSinceMs ??= performance.now();
      const late = setTimeout(() => {
        // Answers that are here already are read first: this process itself may have stood still.
        setImmediate(() => {
          if (waiting) this.giveUp(noAnswer(answerMs));
        });
      }, answerMs);
      return (error) => {
        waiting = false;
        this.waitingSinceMs = undefined;
        clearTimeout(late);
        if (!error || error instanceof pg.DatabaseError) heartbeat.heard();
        return error && (this.#lost || saysThatItIsAway(error) ? awayFrom(error) : error);
      };
    }
  };
}

/** It was waited for in vain, where other faults show at once. */
export class NoAnswer extends DatabaseAway {}

export function noAnswer(afterMs: number): NoAnswer {
  return new NoAnswer(`PostgreSQL did not answer within ${afterMs / 1_000} s`);
}

export function awayFrom(error: Error & { code?: string }): DatabaseAway {
  if (error instanceof DatabaseAway) return error;
  switch (error.message) {
    // In pg's words, the connection was not made in time …
    case 'timeout expired':
      return new NoAnswer('PostgreSQL does not answer', { cause: error });
    // … and none of the pool's became free.
    case 'timeout exceeded when trying to connect':
      return new DatabaseAway('no connection to PostgreSQL became free', { cause: error });
    default:
      return new DatabaseAway(error.message || error.code || 'no reason given', { cause: error });
  }
}

/** It stops, it starts, it has no connection left. */
function saysThatItIsAway({ code = '' }: Error & { code?: string }): boolean {
  return ['57P01', '57P02', '57P03', '53300'].includes(code) || code.startsWith('08');
}
