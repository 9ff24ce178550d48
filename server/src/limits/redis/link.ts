import { createClient, ErrorReply } from '@redis/client';
import type { Clock, Timer } from '../../clock.ts';
import type { Script } from './scripts.ts';

/** An answer that takes longer than this is worth less than deciding alone. */
const COMMAND_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 1_000;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

type Client = ReturnType<typeof createClient>;

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
 * command either has its answer in time or is known to have none. A client is used for one
 * connection only: what a lost one still has to say can't reach its successor.
 */
export class RedisLink {
  #url: string;
  #clock: Clock;
  #events: LinkEvents;
  #client: Client | undefined;
  #failures = 0;
  #retry: Timer | undefined;
  #closed = false;

  constructor(url: string, clock: Clock, events: LinkEvents) {
    this.#url = url;
    this.#clock = clock;
    this.#events = events;
  }

  /** Resolves when the connection is up or the attempt has failed; rejects only a senseless URL. */
  async connect(): Promise<void> {
    const client: Client = createClient({
      url: this.#url,
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      // The client's own deadline covers only commands it has not written yet.
      commandOptions: { timeout: 0 },
      socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
    });
    this.#client = client;
    client.on('error', (error) => this.#lose(client, error));
    // A frozen Redis still accepts connections; only its greeting is missing.
    const deadline = this.#clock.after(2 * CONNECT_TIMEOUT_MS, () =>
      this.#lose(client, new Error('it does not answer')),
    );
    try {
      await client.connect();
      deadline.cancel();
      if (this.#client !== client) return client.destroy();
      await this.#events.prepare();
      this.#failures = 0;
    } catch (error) {
      deadline.cancel();
      this.#lose(client, error);
    }
  }

  /** Rejects when there is no answer in time; Redis may then have acted or not. */
  async send(args: string[], timeoutMs = COMMAND_TIMEOUT_MS): Promise<unknown> {
    const client = this.#connected();
    try {
      return await this.#exchange(client, args, timeoutMs);
    } catch (error) {
      if (!isNoScript(error)) this.#lose(client, error);
      throw error;
    }
  }

  async load(scripts: Script[]): Promise<void> {
    for (const { source } of scripts) await this.send(['SCRIPT', 'LOAD', source]);
  }

  /** Anyone may flush the scripts: they go along if need be. */
  async run(
    { sha, source }: Script,
    keys: string[],
    args: string[],
    timeoutMs?: number,
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.send(['EVALSHA', sha, ...rest], timeoutMs);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      return this.send(['EVAL', source, ...rest], timeoutMs);
    }
  }

  /** For commands that a Redis may forbid its users: undefined if it does. */
  async sendIfAllowed(...args: string[]): Promise<unknown> {
    const client = this.#connected();
    try {
      return await this.#exchange(client, args, COMMAND_TIMEOUT_MS);
    } catch (error) {
      if (error instanceof ErrorReply) return undefined;
      this.#lose(client, error);
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    const client = this.#client;
    this.#client = undefined;
    client?.destroy();
  }

  #connected(): Client {
    if (!this.#client) throw new Error('There is no connection to Redis.');
    return this.#client;
  }

  async #exchange(client: Client, args: string[], timeoutMs: number): Promise<unknown> {
    let answered = false;
    const deadline = this.#clock.after(timeoutMs, () => {
      // If this process was the slow one, the answer is waiting in the socket: read that first.
      setImmediate(() => {
        if (!answered) this.#lose(client, new Error(`it did not answer in ${timeoutMs} ms`));
      });
    });
    try {
      return await client.sendCommand(args);
    } finally {
      answered = true;
      deadline.cancel();
    }
  }

  #lose(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.destroy();
    if (this.#closed) return;
    this.#events.lost(error instanceof Error ? error.message : String(error));
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures += 1;
    // Spread out, or all nodes would greet a returning Redis in the same millisecond.
    this.#retry = this.#clock.after(waitMs * (0.5 + Math.random() / 2), () => this.connect());
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
