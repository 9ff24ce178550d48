/** A poster, and receivers for it that reply in any way. Everything is closed after the test. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { onTestFinished } from 'vitest';
import { createPoster, type Poster, type PosterOptions } from '../src/receiver/post.ts';

const LOOPBACK = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')];

export function poster(options: Partial<PosterOptions> = {}): Poster {
  const made = createPoster({
    allow: LOOPBACK,
    timeoutMs: 2_000,
    userAgent: 'Bellhop/test',
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

export function post(url: string, options: Partial<PosterOptions> = {}) {
  return poster(options).post(url, { 'webhook-id': 'evt_1' }, '{"a":"é"}');
}

export async function listen(
  server: Server | ReturnType<typeof createTcpServer>,
  host = '127.0.0.1',
) {
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export async function receiver(handle: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(handle))}/hook`;
}

/** A receiver on plain TCP, for replies that node:http would never send. */
export async function rawReceiver(handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => handle(socket));
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${port}/`;
}
