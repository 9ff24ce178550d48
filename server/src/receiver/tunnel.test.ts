/** Webhooks through a proxy. It listens on 127.0.0.1, which the guard does not allow here; receivers on 127.0.0.2. */
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { issueCertificate } from '../../testing/certificates.ts';
import { type ConnectProxy, openTunnel, startConnectProxy } from '../../testing/connect-proxy.ts';
import { listen, poster } from '../../testing/posting.ts';

const RECEIVER = '127.0.0.2';
const ALLOW = [ipaddr.parseCIDR(`${RECEIVER}/32`), ipaddr.parseCIDR('::1/128')];
const authority = issueCertificate({ name: 'Test authority', isAuthority: true });
const names: Record<string, string[]> = {
  'receiver.example': [RECEIVER],
  'two.example': ['127.0.0.3', RECEIVER],
  'inside.example': ['10.0.0.1'],
};

function through(
  { host, port }: Pick<ConnectProxy, 'host' | 'port'>,
  more: { authorization?: string; timeoutMs?: number } = {},
) {
  const { authorization, timeoutMs = 2_000 } = more;
  return poster({
    allow: [...ALLOW, ipaddr.parseCIDR('127.0.0.3/32')],
    timeoutMs,
    proxy: { host, port, authorization },
    resolve: async (name) => names[name] ?? [],
    ca: [authority.cert],
  });
}

async function httpReceiver(host = RECEIVER) {
  const requests: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(request);
    response.end(`host ${request.headers.host}`);
  });
  return { port: await listen(server, host), requests };
}

describe('a webhook through a proxy', () => {
  test('goes to the vetted address, keeps the name in its Host, and leaves no trace of the proxy', async () => {
    const proxy = await startConnectProxy();
    const { port, requests } = await httpReceiver();
    const authorization = `Basic ${btoa('bell:hop')}`;
    const { post } = through(proxy, { authorization });
    for (let n = 0; n < 2; n++) {
      expect(await post(`http://receiver.example:${port}/hook`, {}, '{}')).toMatchObject({
        status: 200,
        replyExcerpt: `host receiver.example:${port}`,
      });
      // A connection is free one turn after its reply.
      await nextTurn();
    }
    // The second one used the tunnel that was open.
    expect(proxy.requests).toEqual([
      `CONNECT ${RECEIVER}:${port} HTTP/1.1\r\nHost: ${RECEIVER}:${port}\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
    ]);
    for (const { headers } of requests) expect(headers).not.toHaveProperty('proxy-authorization');
  });

  test('over https has the name in SNI alone, and its certificate is checked against it', async () => {
    const proxy = await startConnectProxy();
    const certificate = issueCertificate({
      name: 'receiver.example',
      dnsNames: ['receiver.example'],
      issuer: authority,
    });
    const seen: unknown[] = [];
    const server = createHttpsServer(certificate, (request, response) => {
      seen.push((request.socket as TLSSocket).servername);
      response.end('ok');
    });
    const port = await listen(server, RECEIVER);
    const { post } = through(proxy);
    expect(await post(`https://receiver.example:${port}/`, {}, '{}')).toMatchObject({
      status: 200,
      replyExcerpt: 'ok',
    });
    expect(seen).toEqual(['receiver.example']);
    expect(await post(`https://${RECEIVER}:${port}/`, {}, '{}')).toMatchObject({
      code: 'certificate_wrong_name',
    });
    expect(proxy.authorities).toEqual([`${RECEIVER}:${port}`, `${RECEIVER}:${port}`]);
    expect(proxy.requests.join()).not.toContain('receiver.example');
  });

  test('reaches an IPv6 address, and the next address if the proxy cannot reach the first', async () => {
    const proxy = await startConnectProxy();
    const six = await httpReceiver('::1');
    const { post } = through(proxy);
    expect(await post(`http://[::1]:${six.port}/`, {}, '{}')).toMatchObject({ status: 200 });
    const { port } = await httpReceiver();
    expect(await post(`http://two.example:${port}/`, {}, '{}')).toMatchObject({ status: 200 });
    expect(proxy.authorities).toEqual([
      `[::1]:${six.port}`,
      `127.0.0.3:${port}`,
      `${RECEIVER}:${port}`,
    ]);
  });

  test.each([
    ['http://inside.example/', 'blocked_address'],
    ['https://10.0.0.1/', 'blocked_address'],
    ['https://127.0.0.1/', 'blocked_address'],
    ['https://nowhere.example/', 'dns'],
    ['http://8.8.8.8/', 'plain_http'],
    ['https://8.8.8.8:25/', 'reserved_port'],
  ])('to %s is refused before the proxy learns of it', async (url, code) => {
    const proxy = await startConnectProxy();
    expect(await through(proxy).post(url, {}, '{}')).toMatchObject({ code });
    expect(proxy.requests).toEqual([]);
  });

  test('finds out through the proxy that the receiver expects TLS', async () => {
    const proxy = await startConnectProxy();
    const certificate = issueCertificate({ name: 'x', issuer: authority });
    const server = createTlsServer(certificate);
    // A server that closes instead of sending an alert.
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    const port = await listen(server, RECEIVER);
    expect(await through(proxy).post(`http://receiver.example:${port}/`, {}, '{}')).toMatchObject({
      code: 'https_only',
    });
    for (const asked of proxy.authorities) expect(asked).toBe(`${RECEIVER}:${port}`);
  });

  test.each<[string, string, string, RegExp]>([
    ['407', 'HTTP/1.1 407 x\r\n\r\n', 'proxy_refused', /our user and password \(status 407\)/],
    ['403', 'HTTP/1.0 403 Forbidden\r\n\r\n', 'proxy_refused', /refused .* \(status 403\)/],
    ['a redirect', 'HTTP/1.1 302\r\n\r\n', 'proxy_refused', /\(status 302\)/],
    ['502', 'HTTP/1.1 502 x\r\nA: b\r\n\r\nsorry', 'proxy_refused', /\(status 502\)/],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'proxy_protocol', /not HTTP/],
    ['a bad status', 'HTTP/1.1 OK\r\n\r\n', 'proxy_protocol', /not valid/],
    ['endless headers', `HTTP/1.1 200 x\r\n${'a: b\r\n'.repeat(2_000)}`, 'proxy_protocol', /long/],
    ['a reply of its own', 'HTTP/1.1 200 x\r\n\r\nHTTP/1.1 200 x', 'proxy_protocol', /more than/],
  ])('fails with a sentence about our proxy: %s', async (_name, answer, code, message) => {
    const proxy = await startConnectProxy((socket) => socket.write(answer));
    const { post } = through(proxy);
    const outcome = await post('https://receiver.example/', {}, '{}');
    expect(outcome).toMatchObject({
      kind: 'failed',
      code,
      message: expect.stringMatching(message),
    });
    expect(outcome).toMatchObject({ message: expect.stringMatching(/our own proxy/i) });
  });

  test.each<[string, Parameters<typeof startConnectProxy>[0]]>([
    ['says nothing', () => {}],
    ['never ends its headers', (socket) => void socket.write('HTTP/1.1 200 x\r\nA: ')],
  ])('fails in time if the proxy %s', async (_name, answer) => {
    const proxy = await startConnectProxy(answer);
    const outcome = await through(proxy, { timeoutMs: 100 }).post('https://8.8.8.8/', {}, '{}');
    expect(outcome).toMatchObject({ code: 'proxy_timeout' });
  });

  test('blames the receiver if it hangs behind an open tunnel', async () => {
    const proxy = await startConnectProxy((socket) => socket.write('HTTP/1.1 200 x\r\n\r\n'));
    const { post } = through(proxy, { timeoutMs: 100 });
    expect(await post('https://8.8.8.8/', {}, '{}')).toMatchObject({ code: 'connect_timeout' });
    expect(await post(`http://${RECEIVER}/`, {}, '{}')).toMatchObject({ code: 'timeout' });
  });

  test('fails if the proxy is gone, closes, or has no address', async () => {
    const closing = await startConnectProxy((socket) => socket.end());
    const gone = { host: '127.0.0.1', port: 1 };
    const nameless = { host: 'proxy.invalid', port: 3128 };
    for (const proxy of [closing, gone, nameless]) {
      expect(await through(proxy).post('https://8.8.8.8/', {}, '{}')).toMatchObject({
        code: 'proxy_unreachable',
        message: expect.stringMatching(/^Our own proxy cannot be reached \(.+\)\.$/),
      });
    }
  });

  test('is given up with its tunnel', async () => {
    let closed = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const proxy = await startConnectProxy((socket, request) => {
      openTunnel(socket, request);
      socket.on('close', closed);
      asked();
    });
    const server = createHttpServer(() => {});
    const port = await listen(server, RECEIVER);
    const guard: { isWanted(): boolean; breakOff?: () => void } = { isWanted: () => true };
    const posted = through(proxy).post(`http://${RECEIVER}:${port}/`, {}, '{}', { guard });
    await isAsked;
    guard.breakOff?.();
    expect(await posted).toMatchObject({ code: 'aborted' });
    await isClosed;
  });
});
