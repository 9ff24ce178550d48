import type { Clock, Timer } from '../../clock.ts';
import { type RedisAddress, RedisConnection, redisAddress } from './connection.ts';
import { notRedis, RedisRefusal } from './protocol.ts';
import type { Script } from './scripts.ts';

/** An answer that takes longer than this is worth less than deciding alone. */
const COMMAND_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 1_000;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

export interface LinkEvents {
  /** A new connection stands; it counts as up when this resolves. */
  prepare(): Promise<void>;
  /** Called for each connection lost and each attempt that failed. */
  lost(reason: string): void;
}

/**
 * The connection to Redis, renewed for as long as it takes:
 *
 *     connecting → preparing → up → lost → (wait, twice as long each time) → connecting
 *
 * Nothing is queued while it is not there, and any failure or missed deadline ends it, so that a
 * command either has its answer in time or is known to have none. What a lost connection still has
 * to say can't reach its successor.
 */
export class RedisLink {
  #address: RedisAddress;
  #clock: Clock;
  #events: LinkEvents;
  #connection: RedisConnection | undefined;
  #failures = 0;
  #retry: Timer | undefined;
  #closed = false;

  constructor(url: string, clock: Clock, events: LinkEvents) {
    this.#address = redisAddress(url);
    this.#clock = clock;
    this.#events = events;
  }

  /** Resolves when the connection is up or the attempt has failed. */
  async connect(): Promise<void> {
    const connection = new RedisConnection(this.#address, (reason) =>
      this.#lose(connection, reason),
    );
    this.#connection = connection;
    try {
      await this.#within(CONNECT_TIMEOUT_MS, connection, connection.opened, 'no connection');
      await this.#signIn(connection);
      await this.#events.prepare();
      this.#failures = 0;
    } catch (error) {
      this.#lose(connection, error);
    }
  }

  /** Rejects when there is no answer in time; Redis may then have acted or not. */
  async send(
    args: readonly string[],
    { timeoutMs = COMMAND_TIMEOUT_MS, about = '' } = {},
  ): Promise<unknown> {
    const connection = this.#connected();
    try {
      return await this.#exchange(connection, args, timeoutMs);
    } catch (error) {
      if (!isNoScript(error)) this.#lose(connection, error, about);
      throw error;
    }
  }

  async load(scripts: Script[]): Promise<void> {
    for (const { source, sha } of scripts) {
      if ((await this.send(['SCRIPT', 'LOAD', source])) !== sha) throw notRedis();
    }
  }

  /** For replies that can be read but make no sense: whoever asked decides that Redis is lost. Returns the reason. */
  giveUp(reason: Error): Error {
    if (this.#connection) this.#lose(this.#connection, reason);
    return reason;
  }

  /** Anyone may flush the scripts: they go along if need be. */
  async run(
    { sha, source }: Script,
    keys: string[],
    args: string[],
    timeoutMs?: number,
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    // An error inside a script does not say which key it was.
    const options = { timeoutMs, about: keys.length === 1 ? ` (${keys[0]})` : '' };
    try {
      return await this.send(['EVALSHA', sha, ...rest], options);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      return this.send(['EVAL', source, ...rest], options);
    }
  }

  /** For commands that a Redis may forbid its users: undefined if it does. */
  async sendIfAllowed(...args: string[]): Promise<unknown> {
    const connection = this.#connected();
    try {
      return await this.#exchange(connection, args, COMMAND_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof RedisRefusal) return undefined;
      this.#lose(connection, error);
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.close();
  }

  async #signIn(connection: RedisConnection): Promise<void> {
    const { username, password, database } = this.#address;
    if (username !== '') await this.#authenticate(connection, [username, password]);
    else if (password !== '') await this.#authenticate(connection, [password]);
    if (database !== 0) await this.send(['SELECT', String(database)]);
  }

  async #authenticate(connection: RedisConnection, credentials: readonly string[]): Promise<void> {
    try {
      await this.#exchange(connection, ['AUTH', ...credentials], COMMAND_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof RedisRefusal)) throw error;
      // Without its text: a Redis that does not know the command repeats the password.
      throw new Error(`it refuses the user or the password: ${error.code}`);
    }
  }

  #connected(): RedisConnection {
    if (!this.#connection) throw new Error('There is no connection to Redis.');
    return this.#connection;
  }

  #exchange(
    connection: RedisConnection,
    args: readonly string[],
    timeoutMs: number,
  ): Promise<unknown> {
    return this.#within(timeoutMs, connection, connection.send(args), 'it did not answer');
  }

  /** Gives the connection up if it takes longer. */
  async #within<T>(
    timeoutMs: number,
    connection: RedisConnection,
    work: Promise<T>,
    otherwise: string,
  ): Promise<T> {
    let isDone = false;
    const deadline = this.#clock.after(timeoutMs, () => {
      // If this process was the slow one, the answer is waiting in the socket: read that first.
      setImmediate(() => {
        if (!isDone) this.#lose(connection, new Error(`${otherwise} in ${timeoutMs} ms`));
      });
    });
    try {
      return await work;
    } finally {
      isDone = true;
      deadline.cancel();
    }
  }

  #lose(connection: RedisConnection, error: unknown, about = ''): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    connection.close();
    if (this.#closed) return;
    this.#events.lost(reasonOf(error) + about);
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures += 1;
    // Spread out, or all nodes would greet a returning Redis in the same millisecond.
    this.#retry = this.#clock.after(waitMs * (0.5 + Math.random() / 2), () => this.connect());
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof RedisRefusal && error.code === 'NOSCRIPT';
}

/** A host with several addresses fails with an error for each, and has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
