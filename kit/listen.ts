import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Listens on 127.0.0.1; by default on a free port. */
export async function listen(server: Server, port = 0) {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    /** Also ends its connections. */
    async close(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
