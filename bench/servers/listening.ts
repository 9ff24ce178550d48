import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port, says so the way Bellhop does, and ends when it is told to. */
export function listening(server: Server): void {
  process.once('SIGTERM', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => {
    console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}
