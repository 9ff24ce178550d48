/** Opens a listener, and closes it so that requests in flight can finish. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../config/config.ts';

/** In-flight requests have this long to finish once the process is told to stop. */
const DRAIN_MS = 10_000;
/** Connections that may wait to be accepted; the system's limit may be lower (`net.core.somaxconn`). */
const BACKLOG = 4_096;

export async function listen(
  server: Server,
  { host, port, variable }: { host: string; port: number; variable: string },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error)));
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  return addressOf(server, host);

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

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A connection that is still replying when the listener closes becomes idle afterwards.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
