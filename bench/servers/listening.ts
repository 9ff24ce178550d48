import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port, prints a ready line like Bellhop's, and stops on request. */
export function listening(server: Server): void {
  process.once('SIGTERM', () => process.exit(0));
  server.listen(0, '127.0.0.1', () => {
    console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}
