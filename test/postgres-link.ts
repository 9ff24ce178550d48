/**
 * A link to a PostgreSQL that others also use. The network or the server can be made to fail silently on
 * it: connections stay open, and nothing comes back.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';

export interface PostgresLink {
  /** The same database through the link. */
  through(databaseUrl: string): string;
  /** Connections that our side has not closed. */
  readonly connections: number;
  /** The ports of working connections, as in `pg_stat_activity.client_port`. */
  readonly clientPorts: number[];
  /** Like a stopped process: bytes and new connections are accepted, but go nowhere until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Like a broken network: everything sent is lost. Existing connections never recover. */
  swallow(): void;
  /** New connections work again. PostgreSQL notices that the others are dead; our side does not. */
  restore(): void;
  close(): void;
}

interface Way {
  from: Socket;
  to: Socket;
  lost: boolean;
}

export async function openPostgresLink(server: {
  host: string;
  port: number;
}): Promise<PostgresLink> {
  const ways = new Set<Way>();
  /** PostgreSQL's ends of lost connections: it holds their locks for as long as they are open. */
  const stranded = new Set<Socket>();
  let frozen = false;
  let swallowing = false;

  const listener = createServer((from) => {
    const to = swallowing ? new Socket() : connect(server.port, server.host);
    const way: Way = { from, to, lost: swallowing };
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
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;

  function restore(): void {
    swallowing = false;
    for (const socket of stranded) socket.destroy();
    stranded.clear();
  }

  return {
    through(databaseUrl) {
      const url = new URL(databaseUrl);
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
      for (const { from, to } of ways) [from, to].map((socket) => socket.pause());
    },
    thaw() {
      frozen = false;
      for (const { from, to } of ways) [from, to].map((socket) => socket.resume());
    },
    swallow() {
      swallowing = true;
      for (const way of ways) {
        way.lost = true;
        stranded.add(way.to);
      }
    },
    restore,
    close() {
      listener.close();
      restore();
      for (const { from, to } of ways) [from, to].map((socket) => socket.destroy());
    },
  };
}
