/**
 * A pool of connections with deadlines. The wait for a free connection is bounded, and requests fail at
 * once while PostgreSQL is known to be silent. The pool can be emptied, because after a network outage a
 * connection that looks idle may be dead.
 */
import pg from 'pg';
import { DatabaseAway } from '../../base/database-errors.ts';
import type { Log } from '../../base/log.ts';
import {
  awayFrom,
  awayIfLost,
  type Connection,
  type ConnectionLimits,
  connectionClass,
  refusesUser,
} from './connection.ts';
import type { Liveness } from './liveness.ts';
import { END_OUTDATED_SESSION, IS_READ_ONLY, isReadOnly, READ_ONLY_SECONDS } from './read-only.ts';
import { SESSION } from './session.ts';

/** Running statements have this long to finish when the pool is closed. */
const CLOSE_MS = 2_000;

export interface PoolOptions extends ConnectionLimits {
  url: string;
  name: string;
  connections: number;
  /** How long to wait for a free connection. */
  waitMs: number;
  /** PostgreSQL itself ends a statement after this long, unless `isPooled`. */
  statementMs: number;
  /** Leads to a pooler in transaction mode: a session's settings would reach whoever gets that session next. */
  isPooled?: boolean;
  /** Keeps asking while PostgreSQL is silent, to notice when it is back. */
  asksInSilence?: boolean;
  /** Statements for each new connection, in addition to `SESSION`. */
  session?: string;
  /** Called with each new connection before it is used. */
  onOpened?: (connection: Connection) => Promise<void>;
  liveness: Liveness;
  log: Log;
}

type Checkout = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void;

export class BoundedPool extends pg.Pool {
  readonly #liveness: Liveness;
  readonly #asksInSilence: boolean;
  readonly #open = new Set<Connection>();
  readonly #busy = new Set<Connection>();

  constructor(options: PoolOptions) {
    super({
      connectionString: options.url,
      application_name: options.name,
      max: options.connections,
      connectionTimeoutMillis: options.waitMs,
      types: { getTypeParser },
      Client: connectionClass(options, options.liveness),
      onConnect: async (client: pg.ClientBase) => {
        options.liveness.isRefused = false;
        if (options.isPooled) return;
        const canOnlyRead = await beginSession(client, options);
        await options.onOpened?.(client as Connection);
        // Last, because pg reads it next, for this connection.
        this.options.maxLifetimeSeconds = canOnlyRead ? READ_ONLY_SECONDS : 0;
      },
    });
    const query = this.query.bind(this) as (...args: unknown[]) => Promise<unknown>;
    const asked = (...args: unknown[]) =>
      query(...args).catch((error) => {
        throw awayIfLost(error);
      });
    // Not an override, which could not have the many types of the original.
    this.query = asked as typeof this.query;
    this.#liveness = options.liveness;
    this.#asksInSilence = options.asksInSilence ?? false;
    // A connection that breaks while idle is replaced. If it breaks in use, its query fails.
    this.on('error', (error) => {
      if (error instanceof DatabaseAway) return;
      // pg attaches the whole client object, and the log would print all of it.
      delete (error as { client?: unknown }).client;
      options.log.warn({ err: error }, 'a database connection was lost');
    });
    this.on('connect', (client: pg.ClientBase) => void this.#open.add(client as Connection));
    this.on('remove', (client: pg.ClientBase) => void this.#open.delete(client as Connection));
    this.on('acquire', (client: pg.ClientBase) => void this.#busy.add(client as Connection));
    this.on('release', (_, client: pg.ClientBase) => void this.#busy.delete(client as Connection));
  }

  /** For new connections: pg reads the options for each of them. */
  useUrl(url: string): void {
    this.options.connectionString = url;
  }

  /** `query` passes a callback; Kysely does not. */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Checkout): void;
  override connect(callback?: Checkout): Promise<pg.PoolClient> | undefined {
    const silent = this.#liveness.isSilent && !this.#asksInSilence;
    const refusal = silent ? new DatabaseAway('PostgreSQL does not answer') : undefined;
    if (!callback) {
      if (refusal) return Promise.reject(refusal);
      return super.connect().catch((error) => {
        throw this.#notConnected(error);
      });
    }
    if (refusal) process.nextTick(callback, refusal, undefined, () => {});
    else super.connect((error, ...rest) => callback(error && this.#notConnected(error), ...rest));
    return undefined;
  }

  #notConnected(error: Error): DatabaseAway {
    this.#liveness.isRefused = refusesUser(error);
    return awayFrom(error);
  }

  /** Closes idle connections, so that the next statements get new ones. */
  discardIdle(): void {
    for (const connection of this.#open) {
      if (!this.#busy.has(connection)) connection.giveUp(new DatabaseAway('not used any more'));
    }
  }

  /** Fails the statements that were sent before this time: their answers may have been lost. */
  discardWaitingSince(sinceMs: number): void {
    for (const connection of this.#open) {
      if ((connection.waitingSinceMs ?? Number.POSITIVE_INFINITY) < sinceMs) {
        connection.giveUp(new DatabaseAway('PostgreSQL did not answer'));
      }
    }
  }

  /** Also fails all running statements. */
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

/** Resolves to whether the session can only read. */
async function beginSession(
  client: pg.ClientBase,
  { statementMs, session }: PoolOptions,
): Promise<boolean> {
  // Not as parameters of the connection, which poolers refuse.
  const statements = [SESSION, `set statement_timeout to ${statementMs}`, session, IS_READ_ONLY];
  const text = statements.filter((one) => one !== undefined).join(';');
  // pg's types know of one result; several statements have a list of them.
  const results = [await client.query(text)].flat();
  const canOnlyRead = isReadOnly(results.at(-1));
  if (canOnlyRead) await client.query(END_OUTDATED_SESSION);
  return canOnlyRead;
}

/** Our 64-bit columns are counters and milliseconds far below 2^53, so they become numbers, as in SQLite. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8
    ? Number
    : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser;
