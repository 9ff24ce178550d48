import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below 32768, where Linux begins to assign ports to outgoing connections: an HTTP client of another test
 * would soon take such a port, for example while its server restarts.
 */
const FIRST_PORT = 12_000;
const LAST_PORT = 32_000;

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    } finally {
      server.close();
    }
  }
}
