/** Opens a listener, and closes it so that requests in flight can finish. */
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { ConfigError } from '../config/config.ts';

/** In-flight requests have this long to finish once the process is told to stop. */
const DRAIN_MS = 10_000;
/**
 * A turn of the event loop accepts one connection for each socket that listens. With a single socket, a busy
 * process, whose turns take 50 ms and more, accepted some 20 connections a second, and new callers waited for
 * up to 25 s. Linux spreads new connections over all sockets of a port.
 */
const SOCKETS = process.platform === 'linux' ? 32 : 1;
/** Connections that may wait to be accepted: at least 4,096, spread unevenly over the sockets. */
const BACKLOG = SOCKETS > 1 ? 512 : 4_096;

export interface Listening {
  address: string;
  /** Accepts no more connections; resolves when the requests in flight are answered or cut off. */
  drain(): Promise<void>;
}

export async function listen(
  server: HttpServer,
  { host, port, variable }: { host: string; port: number; variable: string },
): Promise<Listening> {
  const open: Server[] = [];
  try {
    // Sockets that share a port would also share it with another process, so that must fail first.
    if (port !== 0 && SOCKETS > 1) await closed(await opened(createServer(), { host, port }));
    const shared = { host, backlog: BACKLOG, reusePort: SOCKETS > 1 };
    open.push(await opened(server, { ...shared, port }));
    const chosen = (server.address() as AddressInfo).port;
    while (open.length < SOCKETS) {
      open.push(await opened(anotherDoorTo(server), { ...shared, port: chosen }));
    }
  } catch (error) {
    await Promise.all(open.map(closed));
    throw listenError(error as NodeJS.ErrnoException);
  }
  return { address: addressOf(server, host), drain: () => drain(server, open) };

  function listenError(error: NodeJS.ErrnoException): Error {
    if (error.code === 'EADDRINUSE') {
      return new ConfigError(
        `${variable}: port ${port} on ${host} is taken; choose another, or 0.`,
      );
    }
    if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
      return new ConfigError(
        `${variable}: cannot listen on ${host}, port ${port} (${error.code}).`,
      );
    }
    return error;
  }
}

/** Its connections are the server's. The options are those that node:http gives its own socket. */
function anotherDoorTo(server: HttpServer): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  );
}

function opened(server: Server, options: ListenOptions): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/** Resolves once its connections are closed too. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function drain(server: HttpServer, sockets: readonly Server[]): Promise<void> {
  const allClosed = Promise.all(sockets.map(closed));
  server.closeIdleConnections();
  // A connection that is still replying when the listener closes becomes idle afterwards.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await allClosed;
  clearInterval(sweep);
  clearTimeout(cut);
}
