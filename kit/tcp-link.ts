/**
 * A link to a server that others also use, such as a PostgreSQL or a Redis. The network or the server can be
 * made to fail on it: silently, so that connections stay open and nothing comes back, slowly, or at once.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';

export interface TcpLink {
  readonly port: number;
  /** The same address through the link. */
  through(url: string): string;
  /** Connections that our side has not closed. */
  readonly connections: number;
  /** The ports of working connections, as in `pg_stat_activity.client_port`. */
  readonly clientPorts: number[];
  /** Like a stopped process: bytes and new connections are accepted, but go nowhere until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Like a broken network: everything sent is lost. Existing connections never recover. */
  swallow(): void;
  /** New connections work again. The server notices that the others are dead; our side does not. */
  restore(): void;
  /** Like a slow network: everything arrives this much later, each way. 0 ends it. */
  delay(ms: number): void;
  /** Like a failover: ends all connections. New ones go to this port. */
  retarget(port: number): void;
  close(): void;
}

interface Way {
  from: Socket;
  to: Socket;
  lost: boolean;
}

export async function openLink(server: { host: string; port: number }): Promise<TcpLink> {
  const ways = new Set<Way>();
  /** The server's ends of lost connections: a PostgreSQL holds their locks for as long as they are open. */
  const stranded = new Set<Socket>();
  let { port: target } = server;
  let frozen = false;
  let swallowing = false;
  let delayMs = 0;

  const listener = createServer((from) => {
    const to = swallowing ? new Socket() : connect(target, server.host);
    const way: Way = { from, to, lost: swallowing };
    ways.add(way);
    for (const [one, other] of [
      [way.from, way.to],
      [way.to, way.from],
    ] as const) {
      const pass = inOrder(() => delayMs);
      one.on('data', (bytes) =>
        pass(() => {
          if (!way.lost && !other.destroyed) other.write(bytes);
        }),
      );
      one.on('error', () => {});
      one.on('close', () =>
        pass(() => {
          if (!way.lost) other.destroy();
        }),
      );
      if (frozen) one.pause();
    }
    from.on('close', () => ways.delete(way));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;

  function restore(): void {
    swallowing = false;
    for (const socket of stranded) socket.destroy();
    stranded.clear();
  }

  function cut(): void {
    for (const { from, to } of ways) for (const socket of [from, to]) socket.destroy();
  }

  return {
    port,
    through(address) {
      const url = new URL(address);
      url.hostname = '127.0.0.1';
      url.port = String(port);
      return url.href;
    },
    get connections() {
      return ways.size;
    },
    get clientPorts() {
      return [...ways].flatMap(({ to, lost }) => (lost ? [] : (to.localPort ?? [])));
    },
    freeze() {
      frozen = true;
      for (const { from, to } of ways) for (const socket of [from, to]) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const { from, to } of ways) for (const socket of [from, to]) socket.resume();
    },
    swallow() {
      swallowing = true;
      for (const way of ways) {
        way.lost = true;
        stranded.add(way.to);
      }
    },
    restore,
    delay(ms) {
      delayMs = ms;
    },
    retarget(newPort) {
      target = newPort;
      cut();
    },
    close() {
      listener.close();
      restore();
      cut();
    },
  };
}

/** Runs each step after the current delay, and the steps in the order in which they came. */
function inOrder(delayMs: () => number): (step: () => void) => void {
  const waiting: (() => void)[] = [];
  return (step) => {
    if (waiting.length === 0 && delayMs() === 0) {
      step();
      return;
    }
    waiting.push(step);
    // Takes the first one that waits: two timers may fire in another order than they were set.
    setTimeout(() => waiting.shift()?.(), delayMs());
  };
}
