import { backOffMs, type Clock, repeat, type Timer } from '../../base/clock.ts';
import { type Endpoint, type RedisAddress, redisAddress } from '../../base/config/redis-address.ts';
import { RedisConnection } from './connection.ts';
import { findPrimary } from './primary.ts';
import { RedisRefusal } from './protocol.ts';
import type { Script } from './scripts.ts';

const FIRST_RETRY_MS = 50;
/** Half of what a Redis that begins anew waits for a node, so that all come back together. */
const LONGEST_RETRY_MS = 500;
/** How often the Sentinels are asked whether the primary is still the same. */
const PRIMARY_CHECKED_EVERY_MS = 2_000;

interface SendOptions {
  timeoutMs?: number;
  /** Behind the reason if it fails. */
  about?: string;
}

export interface LinkEvents {
  /** A new connection stands; it counts as up when this resolves. */
  prepare(): Promise<void>;
  /** Called for each connection lost and each attempt that failed. */
  lost(reason: string): void;
}

/**
 * The connection to Redis, renewed for as long as it takes:
 *
 *     finding → connecting → preparing → up → lost → (wait, twice as long each time) → finding
 *
 * Nothing is queued while it is not there, and any failure or missed deadline ends it, so that a
 * command either has its answer in time or is known to have none. What a lost connection still has
 * to say can't reach its successor.
 */
export class RedisLink {
  #url: string;
  #address: RedisAddress;
  #key: string;
  #clock: Clock;
  #events: LinkEvents;
  #connection: RedisConnection | undefined;
  /** Scripts that Redis has got on this connection. */
  #sent = new Set<Script>();
  #checks: Timer | undefined;
  #failures = 0;
  #retry: Timer | undefined;
  #closed = false;

  /** `key` is one of those that are asked for; all of them must be on one server. */
  constructor(url: string, key: string, clock: Clock, events: LinkEvents) {
    this.#url = url;
    this.#address = redisAddress(url);
    this.#key = key;
    this.#clock = clock;
    this.#events = events;
  }

  /** For the connections after this one. Returns whether it is another address than before. */
  useUrl(url: string): boolean {
    if (url === this.#url) return false;
    this.#url = url;
    this.#address = redisAddress(url);
    return true;
  }

  /** Resolves when the connection is up or the attempt has failed. */
  async connect(): Promise<void> {
    let primary: Endpoint;
    try {
      primary = await this.#findPrimary();
    } catch (error) {
      return this.#failed(error);
    }
    if (this.#closed) return;
    const { isEncrypted, user, database } = this.#address;
    const server = { endpoint: primary, isEncrypted, user };
    const connection = new RedisConnection(server, this.#clock, (reason) =>
      this.#lose(connection, reason),
    );
    this.#connection = connection;
    this.#sent.clear();
    try {
      await connection.opened;
      if (database !== 0) await this.send(['SELECT', String(database)]);
      await this.#events.prepare();
      this.#failures = 0;
      this.#watch(connection, primary);
    } catch (error) {
      this.#lose(connection, error);
    }
  }

  /** Rejects when there is no answer in time; Redis may then have acted or not. */
  async send(
    args: readonly string[],
    { timeoutMs, about = '' }: SendOptions = {},
  ): Promise<unknown> {
    const connection = this.#connected();
    try {
      return await connection.send(args, timeoutMs);
    } catch (error) {
      if (!isNoScript(error)) this.#lose(connection, error, about);
      throw error;
    }
  }

  /** For replies that can be read but make no sense: whoever asked decides that Redis is lost. Returns the reason. */
  giveUp(reason: Error): Error {
    if (this.#connection) this.#lose(this.#connection, reason);
    return reason;
  }

  /**
   * The first call on a connection sends the script itself, which Redis keeps, so that scripts run in the order in which
   * they are sent. Anyone may flush the scripts: then they go along again.
   */
  async run(
    script: Script,
    keys: string[],
    args: string[],
    // An error inside a script does not say which key it was.
    options: SendOptions = { about: keys.length === 1 ? ` (${keys[0]})` : '' },
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    const whole = ['EVAL', script.source, ...rest];
    if (!this.#sent.has(script)) {
      this.#sent.add(script);
      return this.send(whole, options);
    }
    try {
      return await this.send(['EVALSHA', script.sha, ...rest], options);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      return this.send(whole, options);
    }
  }

  /** For commands that a Redis may forbid its users: undefined if it does. */
  async sendIfAllowed(...args: string[]): Promise<unknown> {
    const connection = this.#connected();
    try {
      return await connection.send(args);
    } catch (error) {
      if (error instanceof RedisRefusal) return undefined;
      this.#lose(connection, error);
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#checks?.cancel();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.close();
  }

  #findPrimary(): Promise<Endpoint> {
    return findPrimary(this.#address, this.#key, this.#clock);
  }

  /**
   * A primary that is cut off from the Sentinels may still answer this node, while others share their limits in its
   * successor. In a cluster, such a primary stops answering by itself.
   */
  #watch(connection: RedisConnection, { host, port }: Endpoint): void {
    if (this.#address.at.kind !== 'sentinel') return;
    this.#checks = repeat(this.#clock, PRIMARY_CHECKED_EVERY_MS, async () => {
      const primary = await this.#findPrimary().catch(() => undefined);
      if (!primary || (primary.host === host && primary.port === port)) return;
      this.#lose(connection, new Error(`the Sentinels name another primary`));
    });
  }

  #connected(): RedisConnection {
    if (!this.#connection) throw new Error('There is no connection to Redis.');
    return this.#connection;
  }

  #lose(connection: RedisConnection, error: unknown, about = ''): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#checks?.cancel();
    connection.close();
    this.#failed(error, about);
  }

  #failed(error: unknown, about = ''): void {
    if (this.#closed) return;
    this.#events.lost(reasonOf(error) + about);
    this.#failures += 1;
    const waitMs = backOffMs(this.#failures, FIRST_RETRY_MS, LONGEST_RETRY_MS);
    // Spread out, or all nodes would greet a returning Redis in the same millisecond.
    this.#retry = this.#clock.after(waitMs * (0.5 + Math.random() / 2), () => this.connect());
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof RedisRefusal && error.code === 'NOSCRIPT';
}

/** Several servers that were asked, or addresses of one, fail with an error for each, and without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
