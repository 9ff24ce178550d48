/**
 * A pool of such connections. A wait for a free one is bounded, while PostgreSQL is known to be
 * silent nobody begins to wait, and it can be emptied: after a network was gone, a connection that
 * looks idle may lead nowhere.
 */
import pg from 'pg';
import type { Log } from '../../log.ts';
import { DatabaseAway } from '../database-away.ts';
import {
  awayFrom,
  type Connection,
  type ConnectionLimits,
  connectionClass,
  SESSION,
} from './connection.ts';
import type { Heartbeat } from './liveness.ts';

/** Statements under way have this long to finish when the pool is closed. */
const CLOSE_MS = 2_000;

export interface PoolOptions extends ConnectionLimits {
  url: string;
  name: string;
  connections: number;
  /** For a connection to become free. */
  waitMs: number;
  /** PostgreSQL itself ends a statement after this long. */
  statementMs: number;
  /** Asks while PostgreSQL is silent, so that somebody hears when it is back. */
  asksInSilence?: boolean;
  /** Statements for each new connection, on top of `SESSION`. */
  session?: string;
  heartbeat: Heartbeat;
  log: Log;
}

type Checkout = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void;

export class BoundedPool extends pg.Pool {
  readonly #heartbeat: Heartbeat;
  readonly #asksInSilence: boolean;
  readonly #open = new Set<Connection>();
  readonly #busy = new Set<Connection>();

  constructor(options: PoolOptions) {
    super({
      connectionString: options.url,
      application_name: options.name,
      max: options.connections,
      connectionTimeoutMillis: options.waitMs,
      statement_timeout: options.statementMs,
      types: { getTypeParser },
      Client: connectionClass(options, options.heartbeat),
      onConnect: async (client) => {
        await client.query(`${SESSION};${options.session ?? ''}`);
      },
    });
    this.#heartbeat = options.heartbeat;
    this.#asksInSilence = options.asksInSilence ?? false;
    // A connection that breaks while idle is replaced; whoever uses one hears of it by their query.
    this.on('error', (error) => {
      if (error instanceof DatabaseAway) return;
      // pg adds the whole connection, with all its statements, which the log would write out.
      delete (error as { client?: unknown }).client;
      options.log.warn({ err: error }, 'a database connection was lost');
    });
    this.on('connect', (client) => void this.#open.add(client as unknown as Connection));
    this.on('remove', (client) => void this.#open.delete(client as unknown as Connection));
    this.on('acquire', (client) => void this.#busy.add(client as unknown as Connection));
    this.on('release', (_, client) => void this.#busy.delete(client as unknown as Connection));
  }

  /** With a callback, as `query` asks, or without, as Kysely does. */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Checkout): void;
  override connect(callback?: Checkout): Promise<pg.PoolClient> | undefined {
    const silent = this.#heartbeat.isSilent && !this.#asksInSilence;
    const refusal = silent ? new DatabaseAway('PostgreSQL does not answer') : undefined;
    if (!callback) {
      if (refusal) return Promise.reject(refusal);
      return super.connect().catch((error) => {
        throw awayFrom(error);
      });
    }
    if (refusal) process.nextTick(callback, refusal, undefined, () => {});
    else super.connect((error, ...rest) => callback(error && awayFrom(error), ...rest));
    return undefined;
  }

  /** Makes new connections for whatever is asked next. */
  discardIdle(): void {
    for (const connection of this.#open) {
      if (!this.#busy.has(connection)) connection.giveUp(new DatabaseAway('not used any more'));
    }
  }

  /** Fails the statements that were asked before then: their answers may have been lost. */
  discardWaitingSince(sinceMs: number): void {
    for (const connection of this.#open) {
      if ((connection.waitingSinceMs ?? Number.POSITIVE_INFINITY) < sinceMs) {
        connection.giveUp(new DatabaseAway('PostgreSQL did not answer'));
      }
    }
  }

  /** Fails all statements under way as well. */
  discardAll(): void {
    for (const connection of this.#open) {
      connection.giveUp(new DatabaseAway('PostgreSQL does not answer'));
    }
  }

  async close(): Promise<void> {
    let cut: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      cut = setTimeout(() => {
        this.discardAll();
        resolve();
      }, CLOSE_MS);
    });
    await Promise.race([this.end(), late]);
    clearTimeout(cut);
  }
}

/** Our 64-bit columns are counters and milliseconds, far below 2^53: numbers, as in SQLite. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8
    ? Number
    : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser;
