import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { issueCertificate } from '../../../server/testing/certificates.ts';
import { listening } from '../../../test/support.ts';
import type { ToPost } from './exchange.ts';
import { createNodePost } from './node-post.ts';
import { EXCERPT_BYTES, READ_BYTES } from './reply-excerpt.ts';

const post = createNodePost({ userAgent: 'Bellhop/7' });

async function postTo(server: Server, more: Partial<ToPost> & { scheme?: string } = {}) {
  const { scheme = 'http', ...rest } = more;
  const url = `${scheme}://127.0.0.1:${(await listening(server)).port}/hook?a=1`;
  return post({ url, headers: {}, body: '{}', timeoutMs: 10_000, ...rest });
}

const replying = (listener: RequestListener) => createServer(listener);
const raw = (bytes: string | Buffer) =>
  createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(bytes)));

test('sends the body with its headers, on a connection of its own', async () => {
  const connections = new Set<unknown>();
  const server = replying(async (request, response) => {
    connections.add(request.socket);
    const body = (await request.toArray()).join('');
    const { 'content-type': type, 'user-agent': agent, 'webhook-id': id } = request.headers;
    response.writeHead(201).end([request.method, request.url, type, agent, id, body].join(' '));
  });
  const outcome = await postTo(server, { headers: { 'webhook-id': 'e1' }, body: '{"a":"é"}' });
  expect(outcome).toMatchObject({
    kind: 'answered',
    status: 201,
    replyExcerpt: 'POST /hook?a=1 application/json Bellhop/7 e1 {"a":"é"}',
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await post({ url, headers: {}, body: '', timeoutMs: 10_000 });
  expect(connections.size).toBe(2);
});

test('follows no redirect, keeps the beginning of a reply, and does not wait for its end', async () => {
  const redirect = replying((_, response) => response.writeHead(302, { location: '/' }).end());
  expect(await postTo(redirect)).toMatchObject({ kind: 'answered', status: 302 });
  const endless = replying((_, response) => {
    response.write('a\u001b'.repeat(READ_BYTES));
  });
  const outcome = await postTo(endless);
  expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
  expect(outcome).toHaveProperty('replyExcerpt', 'a\ufffd'.repeat(EXCERPT_BYTES / 2));
});

test.each<[string, () => Server, string, RegExp]>([
  ['hangs', () => replying(() => {}), 'timeout', /^The receiver did not answer within 300 ms\.$/],
  [
    'never finishes',
    () => replying((_, response) => void response.write('a')),
    'unfinished_reply',
    /^The receiver answered with status 200 but did not finish its reply within 300 ms\.$/,
  ],
  [
    'closes the connection',
    () => replying(({ socket }) => void socket.destroy()),
    'connection_reset',
    /^The receiver closed the connection before its reply was complete\.$/,
  ],
  ['speaks SSH', () => raw('SSH-2.0-OpenSSH_9.9\r\n'), 'protocol', /^The reply is not HTTP\. /],
  [
    'sends endless headers',
    () => raw(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(20_000)}\r\n\r\n`),
    'protocol',
    /^The reply's headers are too long\./,
  ],
  [
    'breaks the rules of HTTP',
    () => raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'),
    'protocol',
    /^The reply is not valid HTTP and was dropped\.$/,
  ],
  [
    'speaks HTTP/2',
    () => createHttp2Server().on('sessionError', () => {}),
    'http2_only',
    /HTTP\/1/,
  ],
  [
    'speaks TLS',
    () => createHttpsServer(issueCertificate({ name: 'x' })),
    'https_only',
    /Write https in the URL\.$/,
  ],
])('a receiver that %s', async (_, create, code, message) => {
  const isSlow = code === 'timeout' || code === 'unfinished_reply';
  const outcome = await postTo(create(), isSlow ? { timeoutMs: 300 } : {});
  expect(outcome).toMatchObject({ kind: 'failed', code, message: expect.stringMatching(message) });
});

test('over https: an untrusted certificate, and a server without TLS', async () => {
  const untrusted = createHttpsServer(issueCertificate({ name: '127.0.0.1' }));
  expect(await postTo(untrusted, { scheme: 'https' })).toMatchObject({
    code: expect.stringMatching(/^certificate_(self_signed|untrusted)$/),
    fix: expect.stringMatching(/^Install a certificate from a public authority/),
  });
  const plain = replying((_, response) => response.end());
  expect(await postTo(plain, { scheme: 'https' })).toMatchObject({ code: 'no_tls' });
});

test('no receiver, and no such name', async () => {
  const to = { headers: {}, body: '', timeoutMs: 10_000 };
  expect(await post({ ...to, url: 'http://127.0.0.1:1/' })).toMatchObject({
    code: 'connection_refused',
    fix: 'Start the receiver, or correct the port in the URL.',
  });
  expect(await post({ ...to, url: 'http://nonesuch.invalid/' })).toMatchObject({ code: 'dns' });
});

test('a header that could inject another one is not sent', async () => {
  const headers = { 'webhook-id': 'a\r\nb: c' };
  const outcome = await postTo(
    replying((_, response) => response.end()),
    { headers },
  );
  expect(outcome).toMatchObject({ code: 'protocol', message: expect.stringContaining('header') });
});

test('a signal ends it at once', async () => {
  const over = new AbortController();
  const hanging = () => replying(() => over.abort());
  expect(await postTo(hanging(), { signal: over.signal })).toMatchObject({ code: 'aborted' });
  // It is over already.
  expect(await postTo(hanging(), { signal: over.signal })).toMatchObject({ code: 'aborted' });
});
