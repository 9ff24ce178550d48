import type { Server } from 'node:http';
import { listen } from '../../kit/listen.ts';

/** Listens on a free port, prints a ready line like Bellhop's, and stops on request. */
export function listening(server: Server): void {
  process.once('SIGTERM', () => process.exit(0));
  void listen(server).then(({ url }) => console.log(`ready ${url}`));
}
