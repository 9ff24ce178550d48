import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { Endpoint, RedisUser } from '../../base/config/redis-address.ts';
import { encodeCommand, RedisRefusal, type Reply, ReplyReader } from './protocol.ts';

const CONNECT_TIMEOUT_MS = 1_000;
/** An answer that takes longer than this is worth less than deciding alone. */
const COMMAND_TIMEOUT_MS = 500;

/** Whom to connect to, and as whom. */
export interface RedisServer {
  endpoint: Endpoint;
  isEncrypted: boolean;
  user: RedisUser;
}

export type Answer = Exclude<Reply, RedisRefusal>;

interface Waiting {
  resolve(reply: Answer): void;
  reject(error: Error): void;
}

/**
 * One connection to Redis, from its beginning to its end. A command is written at once, and not at the end of the turn
 * of the event loop as client libraries do, so that Redis works on the first requests while this process reads the
 * next ones. An answer that is late ends the connection: a command either has its answer in time or is known to have
 * none.
 */
export class RedisConnection {
  /** Resolves when it is connected and signed in; rejects if the connection fails first. */
  readonly opened: Promise<void>;
  #clock: Clock;
  #socket: Socket;
  #reader = new ReplyReader();
  #waiting: Waiting[] = [];
  /** The last reply, if it was one: Redis may say why before it hangs up. */
  #refusal: RedisRefusal | undefined;
  #isOpen = false;
  #ended: Error | undefined;
  #onEnd: (reason: Error) => void;

  /** `onEnd` is called once, unless it is `close` that ends the connection. */
  constructor(
    { endpoint: { host, port }, isEncrypted, user }: RedisServer,
    clock: Clock,
    onEnd: (reason: Error) => void = () => {},
  ) {
    this.#clock = clock;
    this.#onEnd = onEnd;
    const servername = isIP(host) ? '' : host;
    const socket = isEncrypted ? connectTls({ host, port, servername }) : connect({ host, port });
    this.#socket = socket.setNoDelay();
    socket.on('error', (error) => this.#end(this.#refusal ?? error));
    socket.on('close', () => this.#end(this.#refusal ?? new Error('it has closed the connection')));
    socket.on('data', (piece: Buffer) => this.#read(piece));
    const connected = new Promise<void>((resolve, reject) => {
      socket.once(isEncrypted ? 'secureConnect' : 'connect', () => {
        this.#isOpen = true;
        resolve();
      });
      socket.once('close', () => reject(this.#ended));
    });
    this.opened = this.#within(CONNECT_TIMEOUT_MS, connected, 'no connection').then(() =>
      this.#signIn(user),
    );
    // A failure that nobody waits for would otherwise end the process.
    this.opened.catch(() => {});
  }

  /** Resolves to the reply; rejects with a `RedisRefusal` if Redis says no, else because the connection has ended. */
  send(args: readonly string[], timeoutMs = COMMAND_TIMEOUT_MS): Promise<Answer> {
    const answered = new Promise<Answer>((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      // The socket would keep it, and send it before anyone has signed in.
      if (!this.#isOpen) return reject(new Error('The connection is not open yet.'));
      this.#waiting.push({ resolve, reject });
      this.#socket.write(encodeCommand(args), 'latin1');
    });
    return this.#within(timeoutMs, answered, 'it did not answer');
  }

  close(): void {
    this.#onEnd = () => {};
    this.#end(new Error('The connection is closed.'));
  }

  async #signIn({ username, password }: RedisUser): Promise<void> {
    if (username === '' && password === '') return;
    try {
      await this.send(['AUTH', ...(username === '' ? [] : [username]), password]);
    } catch (error) {
      if (!(error instanceof RedisRefusal)) throw error;
      // Without its text: a Redis that does not know the command repeats the password.
      const reason = new Error(`it refuses the user or the password: ${error.code}`);
      this.#end(reason);
      throw reason;
    }
  }

  /** Ends the connection if it takes longer. */
  async #within<T>(timeoutMs: number, work: Promise<T>, otherwise: string): Promise<T> {
    let isDone = false;
    const deadline = this.#clock.after(timeoutMs, () => {
      // If this process was the slow one, the answer is waiting in the socket: read that first.
      setImmediate(() => {
        if (!isDone) this.#end(new Error(`${otherwise} in ${timeoutMs} ms`));
      });
    });
    try {
      return await work;
    } finally {
      isDone = true;
      deadline.cancel();
    }
  }

  #read(piece: Buffer): void {
    try {
      this.#reader.read(piece, (reply) => this.#settle(reply));
    } catch (error) {
      this.#end(error as Error);
    }
  }

  #settle(reply: Reply): void {
    this.#refusal = reply instanceof RedisRefusal ? reply : undefined;
    const waiting = this.#waiting.shift();
    if (!waiting) throw this.#refusal ?? new Error('it sent a reply to no command');
    if (reply instanceof RedisRefusal) waiting.reject(reply);
    else waiting.resolve(reply);
  }

  #end(reason: Error): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#onEnd(reason);
  }
}
