import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answered, Exchange, type Failed } from './exchange.ts';
import { createPoster, type Guard, type Poster, type PosterOptions } from './post.ts';

const LOOPBACK = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')];
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function poster(options: Partial<PosterOptions> = {}): Poster {
  const made = createPoster({
    allow: LOOPBACK,
    timeoutMs: 2_000,
    userAgent: 'Bellhop/test',
    ...options,
  });
  open.push(() => made.close());
  return made;
}

function post(url: string, options: Partial<PosterOptions> = {}) {
  return poster(options).post(url, { 'webhook-id': 'evt_1' }, '{"a":"é"}');
}

async function listen(server: Server | ReturnType<typeof createTcpServer>, host = '127.0.0.1') {
  server.listen(0, host);
  await once(server, 'listening');
  open.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function receiver(handle: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(handle))}/hook`;
}

/** A receiver on plain TCP, for replies that node:http would never send. */
async function rawReceiver(handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => handle(socket));
  });
  const port = await listen(server);
  open.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${port}/`;
}

describe('answered', () => {
  test('sends the request as given, and returns status and reply', async () => {
    const seen: unknown[] = [];
    const url = await receiver(async (request, reply) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      const { host: _, ...headers } = request.headers;
      seen.push(request.method, request.url, headers, body);
      reply.writeHead(201).end('thanks');
    });
    const outcome = await post(`${url}?a=b%20c`);
    expect(outcome).toEqual({
      kind: 'answered',
      status: 201,
      replyExcerpt: 'thanks',
      durationMs: expect.any(Number),
    });
    expect(seen).toEqual([
      'POST',
      '/hook?a=b%20c',
      {
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': '10',
        'user-agent': 'Bellhop/test',
        'webhook-id': 'evt_1',
      },
      '{"a":"é"}',
    ]);
  });

  test.each([200, 204, 299, 400, 404, 429, 500, 503])('returns status %i', async (status) => {
    const url = await receiver((_, reply) => reply.writeHead(status).end());
    expect(await post(url)).toMatchObject({ kind: 'answered', status, replyExcerpt: '' });
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
    let visits = 0;
    const target = await receiver((_, reply) => {
      visits++;
      reply.end();
    });
    const url = await receiver((_, reply) => reply.writeHead(status, { location: target }).end());
    expect(await post(url)).toMatchObject({ kind: 'answered', status });
    expect(visits).toBe(0);
  });

  test('does not take an early hint for the answer', async () => {
    const url = await receiver((_, reply) => {
      reply.writeEarlyHints({ link: '</x>; rel=preload' }, () => reply.writeHead(200).end('ok'));
    });
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 200, replyExcerpt: 'ok' });
  });

  test.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['103 with headers', 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n'],
    ['both', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('accepts %s before the reply', async (_, interim) => {
    const url = await rawReceiver((socket) => {
      socket.write(interim);
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 200, replyExcerpt: 'ok' });
  });

  test('accepts a reply that ends with the connection', async () => {
    const url = await rawReceiver((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nbye'));
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 200, replyExcerpt: 'bye' });
  });

  test('cuts the excerpt at 4 KiB, between characters', async () => {
    const url = await receiver((_, reply) => reply.end(`a${'é'.repeat(4_000)}`));
    expect(await post(url)).toMatchObject({ replyExcerpt: `a${'é'.repeat(2_047)}` });
  });

  test('joins a reply that arrives in many pieces', async () => {
    const url = await receiver(async (_, reply) => {
      for (const byte of Buffer.from('é€🛎')) {
        reply.write(Uint8Array.of(byte));
        await new Promise((done) => setTimeout(done, 2));
      }
      reply.end();
    });
    expect(await post(url)).toMatchObject({ replyExcerpt: 'é€🛎' });
  });

  test('replaces invalid UTF-8 and NUL', async () => {
    const url = await receiver((_, reply) => reply.end(Buffer.from([0x61, 0xff, 0x00, 0x62])));
    expect(await post(url)).toMatchObject({ replyExcerpt: 'a\ufffd\ufffdb' });
  });

  test('judges a reply of 10 MB by its status, without reading it to the end', async () => {
    const sent: Socket[] = [];
    const url = await receiver((request, reply) => {
      sent.push(request.socket);
      reply.end(Buffer.alloc(10_000_000, 'x'));
    });
    const outcome = await post(url);
    expect(outcome).toMatchObject({ status: 200, replyExcerpt: 'x'.repeat(4_096) });
    await expect.poll(() => sent[0]?.destroyed).toBe(true);
  });

  test('cuts off an endless reply, and judges it by its status', async () => {
    const url = await receiver((request, reply) => {
      const more = () => {
        while (!request.socket.destroyed && reply.write('x'.repeat(16_384)));
      };
      reply.on('drain', more);
      more();
    });
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 200 });
  });
});

describe('connections', () => {
  test('successive attempts reuse at most two, even after replies of 60 KiB', async () => {
    const ports = new Set<number | undefined>();
    const url = await receiver((request, reply) => {
      ports.add(request.socket.remotePort);
      reply.end('x'.repeat(60 * 1_024));
    });
    const { post } = poster();
    for (let i = 0; i < 20; i++) await post(url, {}, '{}');
    // Two, because one rests for a turn of the event loop after each reply.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  test('an attempt that expires while the process is frozen is never sent', () => {
    let outcome: Answered | Failed | undefined;
    const exchange = new Exchange(20, (settled) => {
      outcome = settled;
    });
    for (const startedMs = performance.now(); performance.now() < startedMs + 25; );
    expect(exchange.isWanted()).toBe(false);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'connect_timeout' });
  });

  test('receivers on the same host share none, so that neither can answer for the other', async () => {
    const ports = new Map<string, Set<number | undefined>>([
      ['/a', new Set()],
      ['/b', new Set()],
    ]);
    const url = await receiver((request, reply) => {
      ports.get(request.url as string)?.add(request.socket.remotePort);
      reply.end();
    });
    const { post } = poster();
    for (const path of ['/a', '/b', '/a', '/b', '/a', '/b']) {
      await post(new URL(path, url).href, {}, '{}');
    }
    const [a = new Set(), b = new Set()] = ports.values();
    expect([...a].filter((port) => b.has(port))).toEqual([]);
  });

  test('a receiver that closes after each reply is called on a new one', async () => {
    const url = await rawReceiver((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    const { post } = poster();
    for (let i = 0; i < 5; i++) expect(await post(url, {}, '{}')).toMatchObject({ status: 200 });
  });

  test('close() ends all of them, and attempts in flight fail', async () => {
    const url = await receiver(() => {});
    const { post, close } = poster();
    const waiting = post(url, {}, '{}');
    await new Promise((done) => setTimeout(done, 50));
    await close();
    expect(await waiting).toMatchObject({ kind: 'failed', code: 'aborted' });
    expect(await post(url, {}, '{}')).toMatchObject({ kind: 'failed', code: 'aborted' });
  });
});

describe('the time-out covers', () => {
  /** The deadline covers the whole attempt, however the time is spent. */
  async function expectTimeout(url: string, message: string, options?: Partial<PosterOptions>) {
    const outcome = await post(url, { timeoutMs: 200, ...options });
    const code = message.includes('accept a connection')
      ? 'connect_timeout'
      : message.includes('finish')
        ? 'unfinished_reply'
        : 'timeout';
    expect(outcome).toMatchObject({ kind: 'failed', code });
    expect(outcome).toHaveProperty('message', expect.stringContaining(message));
    expect(outcome.durationMs).toBeGreaterThan(190);
    expect(outcome.durationMs).toBeLessThan(500);
  }

  test('a missing reply', async () => {
    await expectTimeout(await receiver(() => {}), 'did not answer within 200 ms');
  });

  test('headers that trickle', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      setInterval(() => socket.write('x-a: b\r\n'), 20).unref();
    });
    await expectTimeout(url, 'did not answer');
  });

  test('a body that trickles', async () => {
    const url = await receiver((_, reply) => {
      setInterval(() => reply.write('x'), 20).unref();
    });
    await expectTimeout(url, 'answered with status 200 but did not finish');
  });

  test('a body that stalls', async () => {
    const url = await receiver((_, reply) => {
      reply.writeHead(200, { 'content-length': 100 }).write('x');
    });
    await expectTimeout(url, 'answered with status 200 but did not finish');
  });

  test('a lookup that never ends', async () => {
    const resolve = () => new Promise<string[]>(() => {});
    await expectTimeout('http://slow.example/', 'did not accept a connection', { resolve });
  });

  test('a receiver that reads nothing', async () => {
    const server = createTcpServer((socket) => socket.pause());
    const port = await listen(server);
    open.push(() => server.close());
    const { post } = poster({ timeoutMs: 200 });
    const outcome = await post(`http://127.0.0.1:${port}/`, {}, 'x'.repeat(20_000_000));
    expect(outcome).toMatchObject({ kind: 'failed', code: 'timeout' });
  });
});

describe('an attempt fails with', () => {
  test('connection_refused', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    await once(server, 'close');
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({
      kind: 'failed',
      code: 'connection_refused',
      message: 'The receiver refused the connection. Check that it listens on this port.',
    });
  });

  test('connection_reset before the reply', async () => {
    const url = await rawReceiver((socket) => socket.resetAndDestroy());
    expect(await post(url)).toMatchObject({ kind: 'failed', code: 'connection_reset' });
  });

  test('connection_reset if the connection is closed without a reply', async () => {
    const url = await rawReceiver((socket) => socket.end());
    expect(await post(url)).toMatchObject({ kind: 'failed', code: 'connection_reset' });
  });

  test('connection_reset during the reply', async () => {
    const beginning = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx';
    const ended = await rawReceiver((socket) => socket.end(beginning));
    const reset = await rawReceiver((socket) => {
      socket.write(beginning, () => socket.resetAndDestroy());
    });
    for (const url of [ended, reset]) {
      expect(await post(url)).toMatchObject({ kind: 'failed', code: 'connection_reset' });
    }
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
    ['an upgrade', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['a header bomb', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}\r\n`],
    ['endless early hints', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)],
    ['one endless header', `HTTP/1.1 200 OK\r\nx-a: ${'b'.repeat(1_000_000)}`],
  ])('protocol for %s', async (_, reply) => {
    const url = await rawReceiver((socket) => socket.end(reply));
    expect(await post(url)).toMatchObject({ kind: 'failed', code: 'protocol' });
  });

  test('bad_url for text that is not a URL', async () => {
    expect(await post('nonsense')).toMatchObject({ kind: 'failed', code: 'bad_url' });
  });

  test('aborted if its guard withdraws it, before and during the attempt', async () => {
    const guard: Guard = { isWanted: () => true };
    const url = await receiver(() => guard.breakOff?.());
    const { post } = poster();
    const before = await post(url, {}, '{}', { isWanted: () => false });
    const during = await post(url, {}, '{}', guard);
    for (const outcome of [before, during]) expect(outcome).toMatchObject({ code: 'aborted' });
  });

  test('aborted, without being sent, if its guard withdraws it while connecting', async () => {
    let received = 0;
    const url = await receiver(() => {
      received++;
    });
    let asked = 0;
    const { post } = poster();
    const outcome = await post(url, {}, '{}', { isWanted: () => ++asked === 1 });
    expect(outcome).toMatchObject({ code: 'aborted' });
    expect([asked, received]).toEqual([2, 0]);
  });
});
