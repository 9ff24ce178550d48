/** A booking core for tests: a real HTTP server that answers as the current test says. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

export interface Upstream {
  url: string;
  /** The requests received during this test, oldest first. */
  requests: IncomingMessage[];
  /** The number of connections opened during this test. */
  connections: number;
  /** Handles each request; set by the test. */
  answer: RequestListener;
  /** Resolves with the next request. */
  nextRequest(): Promise<IncomingMessage>;
}

/** Shared by all tests of a file, so that they can share one Bellhop. */
export function sharedUpstream(): Upstream {
  const server = createServer({ keepAliveTimeout: 60_000 });
  const upstream: Upstream = {
    url: '',
    requests: [],
    connections: 0,
    answer: () => {},
    nextRequest: async () => (await once(server, 'request'))[0],
  };
  server.on('connection', (socket) => {
    upstream.connections++;
    socket.on('error', () => {});
  });
  server.on('request', (request, response) => {
    upstream.requests.push(request);
    upstream.answer(request, response);
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    upstream.requests = [];
    upstream.connections = 0;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return upstream;
}

/** Sends these bytes, valid HTTP or not, and hangs up. */
export function sayingBytes(bytes: string): RequestListener {
  return ({ socket }) => socket.end(bytes);
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Header names and values as received, with names in lower case, sorted. */
export function headersOf(request: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    pairs.push([
      (request.rawHeaders[i] as string).toLowerCase(),
      request.rawHeaders[i + 1] as string,
    ]);
  }
  return pairs.sort();
}
