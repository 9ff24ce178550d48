/** A command's own small server on this machine. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { joined } from '../joined.ts';
import { CommandFailed } from './failures.ts';

/** Resolves to the port, which the system chooses for 0. */
export async function openPort(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CommandFailed(`${host} is not an address of this machine. Choose another.`);
    }
    const why = code === 'EADDRINUSE' ? 'another process uses it' : code;
    throw new CommandFailed(`Port ${port} cannot be opened: ${why}. Choose another with --port.`);
  }
  return (server.address() as AddressInfo).port;
}

/** Undefined if the body is too large. It is still read to the end, or the sender would miss the answer. */
export async function readWhole(
  request: IncomingMessage,
  largestBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Uint8Array).length;
    if (bytes <= largestBytes) chunks.push(chunk as Uint8Array);
  }
  return bytes <= largestBytes ? joined(chunks, bytes) : undefined;
}
