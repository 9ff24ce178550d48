import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Listens on 127.0.0.1; by default on a free port. */
export async function listen(server: Server, port = 0) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    /** Also ends the connections of an HTTP server. */
    async close(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
      await closed;
    },
  };
}
