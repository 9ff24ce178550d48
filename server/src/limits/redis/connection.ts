import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { encodeCommand, RedisRefusal, type Reply, ReplyReader } from './protocol.ts';

const DEFAULT_PORT = 6379;

/** What the URL of a Redis says. */
export interface RedisAddress {
  host: string;
  port: number;
  isEncrypted: boolean;
  /** If both are empty, nobody has to sign in; if only this one is, the default user does. */
  username: string;
  password: string;
  database: number;
}

interface Waiting {
  resolve(reply: Exclude<Reply, RedisRefusal>): void;
  reject(error: Error): void;
}

/**
 * One connection to Redis, from its beginning to its end. A command is written at once, and not at the end of the turn
 * of the event loop as client libraries do, so that Redis works on the first requests while this process reads the
 * next ones.
 */
export class RedisConnection {
  /** Rejects if the connection fails first. */
  readonly opened: Promise<void>;
  #socket: Socket;
  #reader = new ReplyReader();
  #waiting: Waiting[] = [];
  /** The last reply, if it was one: Redis may say why before it hangs up. */
  #refusal: RedisRefusal | undefined;
  #isOpen = false;
  #ended: Error | undefined;
  #onEnd: (reason: Error) => void;

  /** `onEnd` is called once, unless it is `close` that ends the connection. */
  constructor({ host, port, isEncrypted }: RedisAddress, onEnd: (reason: Error) => void) {
    this.#onEnd = onEnd;
    const servername = isIP(host) ? '' : host;
    const socket = isEncrypted ? connectTls({ host, port, servername }) : connect({ host, port });
    this.#socket = socket.setNoDelay();
    socket.on('error', (error) => this.#end(this.#refusal ?? error));
    socket.on('close', () => this.#end(this.#refusal ?? new Error('it has closed the connection')));
    socket.on('data', (piece: Buffer) => this.#read(piece));
    this.opened = new Promise((resolve, reject) => {
      socket.once(isEncrypted ? 'secureConnect' : 'connect', () => {
        this.#isOpen = true;
        resolve();
      });
      socket.once('close', () => reject(this.#ended));
    });
    // A failure that nobody waits for would otherwise end the process.
    this.opened.catch(() => {});
  }

  /** Resolves to the reply; rejects with a `RedisRefusal` if Redis says no, else because the connection has ended. */
  send(args: readonly string[]): Promise<Exclude<Reply, RedisRefusal>> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      // The socket would keep it, and send it before anyone has signed in.
      if (!this.#isOpen) return reject(new Error('The connection is not open yet.'));
      this.#waiting.push({ resolve, reject });
      this.#socket.write(encodeCommand(args), 'latin1');
    });
  }

  close(): void {
    this.#onEnd = () => {};
    this.#end(new Error('The connection is closed.'));
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

/** `redis://user:password@host:port/database`, of which everything but the host may be missing. */
export function redisAddress(url: string): RedisAddress {
  const { hostname, port, protocol, username, password, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || DEFAULT_PORT),
    isEncrypted: protocol === 'rediss:',
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: Number(pathname.slice(1)),
  };
}
