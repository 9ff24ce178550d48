/**
 * A proxy in front of a PostgreSQL that others use as well, on which the network or the server can
 * be made to fail without a word: connections stay open, and nothing comes back.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface PostgresProxy {
  /** The database's address, by way of the proxy. */
  url: string;
  /** Connections that our side has not closed. */
  readonly connections: number;
  /** Like a stopped process: bytes and new connections are taken, and reach nobody until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Like a broken network: what is sent is lost, on the connections of now for good. */
  swallow(): void;
  /** New connections work again; those that were open during `swallow` stay dead. */
  restore(): void;
}

interface Way {
  from: Socket;
  to: Socket;
  lost: boolean;
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const ways = new Set<Way>();
  let frozen = false;
  let swallowing = false;

  const server = createServer((from) => {
    const way: Way = { from, to: connect(Number(target.port), target.hostname), lost: swallowing };
    ways.add(way);
    for (const [one, other] of [
      [way.from, way.to],
      [way.to, way.from],
    ] as const) {
      one.on('data', (bytes) => {
        if (!way.lost) other.write(bytes);
      });
      one.on('error', () => {});
      one.on('close', () => {
        if (!way.lost) other.destroy();
      });
      if (frozen) one.pause();
    }
    from.on('close', () => ways.delete(way));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const { from, to } of ways) {
      from.destroy();
      to.destroy();
    }
  });

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    get connections() {
      return ways.size;
    },
    freeze() {
      frozen = true;
      for (const { from, to } of ways) [from, to].map((socket) => socket.pause());
    },
    thaw() {
      frozen = false;
      for (const { from, to } of ways) [from, to].map((socket) => socket.resume());
    },
    swallow() {
      swallowing = true;
      for (const way of ways) way.lost = true;
    },
    restore() {
      swallowing = false;
    },
  };
}
