import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listening, temporaryFolder } from '../../../test/support.ts';
import { issueCertificate } from '../../testing/certificates.ts';
import { parseCidr } from '../base/addresses/addresses.ts';
import { systemClock } from '../base/clock.ts';
import { Metrics } from '../base/metrics.ts';
import { Certificate } from './certificate.ts';
import { boundConnections, type ListenerContext } from './connections.ts';
import { createServer } from './server.ts';

let certificate: Certificate;

beforeAll(async () => {
  const folder = await temporaryFolder();
  const { cert, key } = issueCertificate({ name: 'localhost', dnsNames: ['localhost'] });
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return { variable: 'BELLHOP_TEST_FILE', file: join(folder, name) };
  };
  certificate = new Certificate({ cert: file('cert', cert), key: file('key', key) });
});

describe.each(['http', 'https'])('over %s', (protocol) => {
  async function startListener(
    serve: RequestListener,
    context: Partial<ListenerContext> = {},
    handshakeMs?: number,
  ): Promise<{ port: number; metrics: Metrics }> {
    const metrics = new Metrics();
    const connections = boundConnections({
      listener: 'test',
      trustedProxies: [],
      clock: systemClock,
      metrics,
      ...context,
    });
    const own = protocol === 'https' ? certificate : undefined;
    const inTurn = connections.inTurn(serve);
    const server = createServer(connections.serverOptions, own, inTurn, handshakeMs);
    connections.watch(server);
    const at = await listening(server);
    return { port: at.port, metrics };
  }

  function dial(port: number): Socket {
    const socket =
      protocol === 'https'
        ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
        : connect(port, '127.0.0.1');
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  }

  /** `once` would reject, because a connection that is cut is reset. */
  function closing(socket: Socket): Promise<void> {
    return new Promise((resolve) => socket.once('close', () => resolve()));
  }

  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const hello: RequestListener = (_request, response) => response.end('hello');
  const cuts = (reason: string) =>
    `bellhop_connections_cut_total{listener="test",reason="${reason}"} 1`;

  async function isServed(port: number): Promise<boolean> {
    const socket = dial(port);
    socket.write(request('/'));
    return Promise.race([
      once(socket, 'data').then(
        () => true,
        () => false,
      ),
      closing(socket).then(() => false),
    ]);
  }

  test('an address gets no more than its number of connections until one is closed', async () => {
    const { port, metrics } = await startListener(hello, { limits: { perAddress: 2 } });
    const first = dial(port);
    await once(first, 'connect');
    expect(await isServed(port)).toBe(true);
    expect(await isServed(port)).toBe(false);
    expect(metrics.text()).toContain(cuts('connections_per_address'));
    expect(metrics.text()).toContain('bellhop_connections{listener="test"} 2');
    first.destroy();
    await expect.poll(() => isServed(port)).toBe(true);
  });

  test('a trusted proxy is limited only by the total', async () => {
    const proxy = parseCidr('127.0.0.1');
    const { port, metrics } = await startListener(hello, {
      trustedProxies: proxy ? [proxy] : [],
      limits: { perAddress: 1, inAll: 3 },
    });
    for (let i = 0; i < 3; i++) expect(await isServed(port)).toBe(true);
    expect(await isServed(port)).toBe(false);
    expect(metrics.text()).toContain(cuts('connections_in_all'));
  });

  test('disconnects a caller that reads nothing of its reply, but not one that reads slowly', async () => {
    // More than the system's buffers hold, in pieces.
    const piece = Buffer.alloc(1_048_576);
    const endless: RequestListener = (_request, response) => {
      const send = () => {
        while (response.write(piece));
      };
      response.on('drain', send);
      send();
    };
    const { port, metrics } = await startListener(endless, {
      limits: { stalledMs: 200, checkMs: 20 },
    });
    // A new connection has the full time for its first reply, even in an old process.
    await new Promise((resolve) => setTimeout(resolve, 250));
    const fresh = dial(port).pause();
    fresh.write(request('/'));
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(metrics.text()).not.toContain(cuts('stalled'));
    fresh.destroy();
    const reading = dial(port);
    let readBytes = 0;
    reading.on('data', (chunk) => {
      readBytes += chunk.length;
    });
    reading.write(request('/'));
    const idle = dial(port);
    await once(idle, 'connect');
    const stalled = dial(port);
    stalled.pause();
    stalled.write(request('/'));
    await expect.poll(() => metrics.text()).toContain(cuts('stalled'));
    expect(readBytes).toBeGreaterThan(piece.length);
    expect(reading.destroyed).toBe(false);
    expect(idle.destroyed).toBe(false);
  });

  test('pipelined requests are answered one at a time, in order', async () => {
    let underWay = 0;
    const seen: string[] = [];
    const { port } = await startListener((incoming, response) => {
      seen.push(incoming.url as string);
      expect(++underWay).toBe(1);
      setImmediate(() => {
        underWay--;
        response.end(`${incoming.url}\n`);
      });
    });
    const paths = Array.from({ length: 501 }, (_, i) => `/${i}`);
    const socket = dial(port);
    socket.write(paths.map(request).join(''));
    let text = '';
    for await (const chunk of socket) {
      text += chunk;
      if (text.endsWith('/500\n')) break;
    }
    expect(seen).toEqual(paths);
    expect(text.match(/^\/\d+/gm)).toEqual(paths);
  });

  test('a caller that sends many requests ahead lets others have their turns', async () => {
    const seen: string[] = [];
    let other: Socket | undefined;
    const { port } = await startListener((incoming, response) => {
      seen.push(incoming.url as string);
      other ??= dial(port).on('data', () => {});
      if (seen.length === 1) other.write(request('/other'));
      response.end('done');
    });
    dial(port).resume().write(request('/').repeat(500));
    await expect.poll(() => seen.length).toBe(501);
    expect(seen.indexOf('/other')).toBeLessThan(400);
  });

  test('a caller that stops sending gets the replies to all it has sent, then the end', async () => {
    const { port, metrics } = await startListener((incoming, response) => {
      setImmediate(() => response.end(`${incoming.url}\n`));
    });
    const idle = dial(port);
    await once(idle, protocol === 'https' ? 'secureConnect' : 'connect');
    await closing(idle.end().resume());
    // More than are read ahead of their turn.
    for (const requests of [1, 40]) {
      const paths = Array.from({ length: requests }, (_, i) => `/${i}`);
      const socket = dial(port);
      socket.end(paths.map(request).join(''));
      let text = '';
      for await (const chunk of socket) text += chunk;
      expect(text.match(/^\/\d+/gm)).toEqual(paths);
    }
    await expect.poll(() => metrics.text()).toContain('bellhop_connections{listener="test"} 0');
  });

  test('a caller that hung up is noticed before its reply, one that waits for it is not disturbed', async () => {
    const calls = {
      '/gone': Promise.withResolvers<ServerResponse>(),
      '/waiting': Promise.withResolvers<ServerResponse>(),
    };
    const { port } = await startListener(
      ({ url }, response) => calls[url as keyof typeof calls].resolve(response),
      { limits: { lookMs: 10 } },
    );
    const hangingUp = dial(port);
    hangingUp.write(request('/gone'));
    const closed = once(await calls['/gone'].promise, 'close');
    hangingUp.destroy();
    await closed;
    const waiting = dial(port);
    waiting.end(request('/waiting'));
    const reply = await calls['/waiting'].promise;
    await once(waiting, 'readable');
    reply.end('hello');
    let text = '';
    for await (const chunk of waiting) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n[\s\S]+\r\nhello$/);
  });

  test('a caller that has stopped sending is not waited for without end', async () => {
    const limits = { halfClosedMs: 50, lookMs: 10 };
    const { port, metrics } = await startListener(() => {}, { limits });
    const sending = dial(port);
    sending.write(request('/'));
    const socket = dial(port);
    socket.end(request('/') + request('/'));
    await closing(socket.resume());
    expect(metrics.text()).toContain(cuts('half_closed'));
    expect(sending.destroyed).toBe(false);
  });

  test.each([
    ['with HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
    ['in the middle of its reply', request('/begins')],
  ])('one that cannot be asked, %s, is waited for less long', async (_name, text) => {
    const { port, metrics } = await startListener(
      ({ url }, response) => url === '/begins' && response.write('a beginning'),
      { limits: { unaskedMs: 50, lookMs: 10 } },
    );
    const socket = dial(port);
    socket.end(text);
    await closing(socket.resume());
    expect(metrics.text()).toContain(cuts('half_closed'));
  });

  test('one that has stopped sending gets a reply that takes longer but goes on', async () => {
    const { port, metrics } = await startListener(
      (_request, response) => {
        let pieces = 0;
        const sending = setInterval(() => {
          response.write('piece\n');
          if (++pieces < 60) return;
          clearInterval(sending);
          response.end();
        }, 20);
      },
      { limits: { halfClosedMs: 1_000, unaskedMs: 1_000, lookMs: 10 } },
    );
    const socket = dial(port);
    socket.end(request('/'));
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text.match(/piece/g)).toHaveLength(60);
    expect(metrics.text()).not.toContain(cuts('half_closed'));
  });

  test('disconnects a caller that sends too many requests ahead, and drops the rest', async () => {
    let served = 0;
    const { port, metrics } = await startListener(() => void served++);
    const socket = dial(port);
    const body = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
    socket.write((request('/') + body).repeat(600));
    await closing(socket);
    expect(served).toBe(1);
    expect(metrics.text()).toContain(cuts('pipelined'));
    dial(port).write(request('/'));
    await expect.poll(() => served).toBe(2);
  });

  test('an upgrade request is answered and ends the connection; anything sent after it is dropped', async () => {
    const { port } = await startListener(hello);
    const socket = dial(port);
    const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    socket.write(upgrade + request('/'));
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  });

  test.runIf(protocol === 'https')('a handshake that takes too long is cut off', async () => {
    const { port, metrics } = await startListener(hello, {}, 50);
    const silent = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void silent.destroy());
    await closing(silent.resume());
    expect(metrics.text()).toContain(cuts('handshake'));
    await expect.poll(() => metrics.text()).toContain('bellhop_connections{listener="test"} 0');
  });

  test.runIf(protocol === 'https')('what is no TLS is cut off, and old TLS too', async () => {
    const { port } = await startListener(hello);
    const plain = connect(port, '127.0.0.1').on('error', () => {});
    plain.write(request('/'));
    await closing(plain.resume());
    for (const [version, isTaken] of [
      ['TLSv1.1', false],
      ['TLSv1.2', true],
      ['TLSv1.3', true],
    ] as const) {
      const options = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
      const caller: TLSSocket = connectTls({
        port,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        ...options,
      });
      const outcome = await Promise.race([
        once(caller, 'secureConnect').then(
          () => true,
          () => false,
        ),
        closing(caller).then(() => false),
      ]);
      caller.destroy();
      expect(outcome, version).toBe(isTaken);
    }
  });
});
