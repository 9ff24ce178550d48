/** A CONNECT proxy for tests: it opens tunnels as it is asked, or gives whatever answer a test wants. */

import { connect, createServer, type Socket } from 'node:net';
import { listening } from '../../test/support.ts';

export interface ConnectProxy {
  host: string;
  port: number;
  /** The head of each request, oldest first. */
  requests: string[];
  /** What was asked for: `address:port`. */
  authorities: string[];
}

/** Called instead of opening a tunnel. */
export type ProxyAnswer = (socket: Socket, request: string) => void;

export async function startConnectProxy(answer: ProxyAnswer = openTunnel): Promise<ConnectProxy> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    let head = '';
    socket.on('data', function read(chunk) {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', read);
      proxy.requests.push(head);
      proxy.authorities.push(/^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1] ?? head);
      answer(socket, head);
    });
  });
  const { port } = await listening(server);
  const proxy: ConnectProxy = { host: '127.0.0.1', port, requests: [], authorities: [] };
  return proxy;
}

/** 502 if the address cannot be reached. */
export function openTunnel(socket: Socket, request: string): void {
  const [, host = '', port] = /^CONNECT \[?([^\s\]]+?)\]?:(\d+) /.exec(request) ?? [];
  const upstream = connect({ host, port: Number(port) });
  upstream.once('connect', () => {
    socket.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n');
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  socket.on('close', () => upstream.destroy());
}
