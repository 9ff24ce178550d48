/** What an attempt sends and what it makes of the reply, and how connections are reused. */
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { post, poster, rawReceiver, receiver } from '../../testing/posting.ts';
import { type Answered, Exchange, type Failed } from './exchange.ts';

describe('an attempt', () => {
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

  test('control and bidirectional characters are replaced, text in any script is not', async () => {
    const kept = 'a\tb\r\nc é Ω 宿 שלום مرحبا 👩\u200d✈️\u00a0';
    const unsafe = ['\u001b', '\u0007', '\u0008', '\u007f', '\u009b', '\u202e', '\u2066', '\u200f'];
    const url = await receiver((_, reply) => reply.end(kept + unsafe.join('x')));
    const replaced = unsafe.map(() => '\ufffd').join('x');
    expect(await post(url)).toMatchObject({ replyExcerpt: kept + replaced });
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
