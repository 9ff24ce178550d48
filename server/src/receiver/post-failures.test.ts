/** Time-outs and other failures of an attempt. */
import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listen, post, poster, rawReceiver, receiver } from '../../testing/posting.ts';
import type { Guard, PosterOptions } from './post.ts';

describe('the time-out covers', () => {
  /** Long enough to connect, and to read a first line, on a busy machine. */
  const TIMEOUT_MS = 1_000;

  /** The deadline covers the whole attempt, however the time is spent. */
  async function expectTimeout(url: string, message: string, options?: Partial<PosterOptions>) {
    const outcome = await post(url, { timeoutMs: TIMEOUT_MS, ...options });
    const code = message.includes('accept a connection')
      ? 'connect_timeout'
      : message.includes('finish')
        ? 'unfinished_reply'
        : 'timeout';
    const status = code === 'unfinished_reply' ? 200 : null;
    expect(outcome).toMatchObject({ kind: 'failed', code, status });
    expect(outcome).toHaveProperty('message', expect.stringContaining(message));
    expect(outcome.durationMs).toBeGreaterThan(TIMEOUT_MS - 10);
  }

  test('a missing reply', async () => {
    await expectTimeout(await receiver(() => {}), 'did not answer within 1 s');
  });

  test('headers that trickle', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      setInterval(() => socket.write('x-a: b\r\n'), 20).unref();
    });
    await expectTimeout(url, 'answered with status 200 but did not finish');
  });

  test('a status line that trickles', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 ');
      setInterval(() => socket.write('O'), 20).unref();
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
    const { post } = poster({ timeoutMs: TIMEOUT_MS });
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
    expect(await post(url)).toMatchObject({
      kind: 'failed',
      code: 'connection_reset',
      status: null,
      replyExcerpt: null,
    });
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
      expect(await post(url)).toMatchObject({
        kind: 'failed',
        code: 'connection_reset',
        status: 200,
        replyExcerpt: 'x',
      });
    }
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', null],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx', 200],
    ['an upgrade', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', null],
    ['a header bomb', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}\r\n`, 200],
    ['endless early hints', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000), null],
    ['one endless header', `HTTP/1.1 200 OK\r\nx-a: ${'b'.repeat(1_000_000)}`, 200],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n', 200],
  ])('protocol for %s', async (_, reply, status) => {
    const url = await rawReceiver((socket) => socket.end(reply));
    expect(await post(url)).toMatchObject({ kind: 'failed', code: 'protocol', status });
  });

  test('bad_url for text that is not a URL', async () => {
    expect(await post('nonsense')).toMatchObject({ kind: 'failed', code: 'bad_url' });
  });

  test('aborted if its guard withdraws it, before and during the attempt', async () => {
    const guard: Guard = { isWanted: () => true };
    const url = await receiver(() => guard.breakOff?.());
    const { post } = poster();
    const before = await post(url, {}, '{}', { guard: { isWanted: () => false } });
    const during = await post(url, {}, '{}', { guard });
    for (const outcome of [before, during]) expect(outcome).toMatchObject({ code: 'aborted' });
  });

  test('aborted, without being sent, if its guard withdraws it while connecting', async () => {
    let received = 0;
    const url = await receiver(() => {
      received++;
    });
    let asked = 0;
    const { post } = poster();
    const outcome = await post(url, {}, '{}', {
      guard: { isWanted: () => ++asked === 1 },
    });
    expect(outcome).toMatchObject({ code: 'aborted' });
    expect([asked, received]).toEqual([2, 0]);
  });
});
