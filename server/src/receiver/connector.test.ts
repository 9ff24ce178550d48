import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { afterEach, describe, expect, test } from 'vitest';
import { issueCertificate } from '../../testing/certificates.ts';
import { createPoster, type PosterOptions } from './post.ts';

const LOOPBACK = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')];
const DAY_MS = 86_400_000;
const authority = issueCertificate({ name: 'Test authority', isAuthority: true });
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function post(url: string, options: Partial<PosterOptions> = {}) {
  const poster = createPoster({
    allow: LOOPBACK,
    timeoutMs: 2_000,
    userAgent: 'Bellhop/test',
    ca: [authority.cert],
    ...options,
  });
  open.push(() => poster.close());
  return poster.post(url, {}, '{}');
}

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  open.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Counts connections, so that a test can check that none was made. */
async function http(host?: string) {
  let connections = 0;
  const server = createHttpServer((request, reply) => {
    reply.end(`host ${request.headers.host}`);
  }).on('connection', () => connections++);
  return { port: await listen(server, host), connections: () => connections };
}

function names(answers: Record<string, string[]>) {
  return async (host: string) => answers[host] ?? [];
}

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
    'LOCALHOST.',
    'sub.localhost',
  ])('%s is blocked, but dialled if it is listed', async (host) => {
    const { port, connections } = await http();
    const url = `http://${host}:${port}/`;
    const refused = await post(url, { allow: [] });
    expect(refused).toMatchObject({ kind: 'failed', code: 'blocked_address' });
    expect(connections()).toBe(0);
    expect(await post(url)).toMatchObject({ kind: 'answered', status: 200 });
  });

  test.each([
    'https://169.254.169.254/latest/meta-data/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[2002:a9fe:a9fe::]/',
    'https://[fd00:ec2::254]/',
    'https://0/',
    'https://[::]/',
  ])('%s is blocked', async (url) => {
    const outcome = await post(url);
    expect(outcome).toMatchObject({ kind: 'failed', code: 'blocked_address' });
  });

  test('one bad address among good ones blocks the name', async () => {
    const { port, connections } = await http();
    const resolve = names({ 'mixed.example': ['127.0.0.1', '10.0.0.1'] });
    expect(await post(`http://mixed.example:${port}/`, { resolve })).toMatchObject({
      kind: 'failed',
      code: 'blocked_address',
      message: expect.stringContaining('mixed.example resolves to 10.0.0.1, which is not a public'),
    });
    expect(connections()).toBe(0);
  });

  test('an invalid answer of the resolver blocks the name', async () => {
    const resolve = names({ 'odd.example': ['0x7f000001'] });
    const outcome = await post('https://odd.example/', { resolve });
    expect(outcome).toMatchObject({ code: 'blocked_address' });
  });

  test('the check applies to the very answer that is dialled', async () => {
    const { port, connections } = await http();
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
    let lookups = 0;
    const resolve = async () => answers[lookups++] ?? [];
    const poster = createPoster({ allow: LOOPBACK, timeoutMs: 500, userAgent: 'x', resolve });
    open.push(() => poster.close());
    const first = await poster.post(`http://rebind.example:${port}/`, {}, '{}');
    expect(first).toMatchObject({ status: 200, replyExcerpt: `host rebind.example:${port}` });
    expect([lookups, connections()]).toEqual([1, 1]);
    // Another port needs another connection, and so another lookup.
    const second = await poster.post('http://rebind.example:1/', {}, '{}');
    expect(second).toMatchObject({ code: 'blocked_address' });
    expect(lookups).toBe(2);
  });

  test('tries the next address if the first is down', async () => {
    const { port } = await http();
    const resolve = names({ 'two.example': ['127.0.0.2', '127.0.0.1'] });
    const outcome = await post(`http://two.example:${port}/`, { resolve });
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('plain http to a public address is blocked', async () => {
    const resolve = names({ 'example.com': ['93.184.216.34'] });
    expect(await post('http://example.com/', { resolve })).toMatchObject({
      code: 'plain_http',
      message: expect.stringContaining('Use https.'),
    });
    expect(await post('http://93.184.216.34/')).toMatchObject({ code: 'plain_http' });
  });

  test('a reserved port of a public address is blocked', async () => {
    expect(await post('https://93.184.216.34:25/')).toMatchObject({
      code: 'reserved_port',
      message: expect.stringContaining('Use port 443'),
    });
  });

  test('reports a name without addresses', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('queryA ECONNREFUSED'), { code: 'ECONNREFUSED' });
    };
    const message = 'The name gone.example could not be resolved.';
    expect(await post('https://gone.example/', { resolve })).toMatchObject({
      code: 'dns',
      message,
    });
    expect(await post('https://gone.example/', { resolve: names({}) })).toMatchObject({
      code: 'dns',
    });
  });

  test('no proxy is used, whatever the environment says', async () => {
    const proxy = await http();
    const { port } = await http();
    const before = process.env.http_proxy;
    process.env.http_proxy = `http://127.0.0.1:${proxy.port}`;
    try {
      expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    } finally {
      if (before === undefined) delete process.env.http_proxy;
      else process.env.http_proxy = before;
    }
    expect(proxy.connections()).toBe(0);
  });
});

describe('TLS', () => {
  const resolve = async () => ['127.0.0.1'];
  const good = issueCertificate({
    name: 'receiver.example',
    dnsNames: ['receiver.example'],
    addresses: ['127.0.0.1'],
    issuer: authority,
  });

  async function https(options: ServerOptions): Promise<number> {
    return listen(
      createHttpsServer(options, (request, reply) => {
        const { servername, authorized: _ } = request.socket as unknown as Record<string, unknown>;
        reply.end(`sni ${servername}`);
      }).on('tlsClientError', () => {}),
    );
  }

  const unknown = issueCertificate({ name: 'receiver.example' });
  const tls11: ServerOptions = {
    ...good,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  };
  /** The type of the TLS record that a ClientHello comes in. */
  const HANDSHAKE = 0x16;
  /** As Python's ssl does with what is not a handshake. */
  async function resettingTlsServer(): Promise<Server> {
    const inner = await listen(createHttpsServer(good));
    return createTcpServer((socket) => {
      socket.once('data', (chunk) => {
        if (chunk[0] !== HANDSHAKE) return socket.resetAndDestroy();
        const passedOn = connect(inner, '127.0.0.1');
        passedOn.write(chunk);
        return socket.pipe(passedOn).pipe(socket);
      });
    });
  }

  test('accepts a valid certificate, and sends the name in SNI although it dials an address', async () => {
    const port = await https(good);
    for (const host of ['receiver.example', 'RECEIVER.example.']) {
      const outcome = await post(`https://${host}:${port}/`, { resolve });
      expect(outcome).toMatchObject({ status: 200, replyExcerpt: 'sni receiver.example' });
    }
  });

  test('accepts a certificate for the address, without SNI', async () => {
    const port = await https(good);
    const outcome = await post(`https://127.0.0.1:${port}/`);
    expect(outcome).toMatchObject({ status: 200, replyExcerpt: 'sni false' });
  });

  test.each([
    [
      'is self-signed',
      issueCertificate({ name: 'receiver.example', dnsNames: ['receiver.example'] }),
    ],
    [
      "can't be traced to a public certificate authority",
      issueCertificate({
        name: 'receiver.example',
        dnsNames: ['receiver.example'],
        issuer: issueCertificate({ name: 'Nobody', isAuthority: true }),
      }),
    ],
    [
      'has expired',
      issueCertificate({
        name: 'receiver.example',
        dnsNames: ['receiver.example'],
        issuer: authority,
        validFrom: new Date(Date.now() - 2 * DAY_MS),
        validUntil: new Date(Date.now() - DAY_MS),
      }),
    ],
    [
      'is not valid yet',
      issueCertificate({
        name: 'receiver.example',
        dnsNames: ['receiver.example'],
        issuer: authority,
        validFrom: new Date(Date.now() + DAY_MS),
        validUntil: new Date(Date.now() + 2 * DAY_MS),
      }),
    ],
    [
      'was issued for another host name',
      issueCertificate({
        name: 'receiver.example',
        dnsNames: ['other.example'],
        addresses: ['127.0.0.1'],
        issuer: authority,
      }),
    ],
  ])('refuses a certificate that %s', async (words, certificate) => {
    const port = await https(certificate);
    expect(await post(`https://receiver.example:${port}/`, { resolve })).toMatchObject({
      kind: 'failed',
      code: expect.stringMatching(/^certificate_/),
      message: expect.stringContaining(words),
    });
  });

  test('refuses TLS before 1.2', async () => {
    const port = await https(tls11);
    const outcome = await post(`https://receiver.example:${port}/`, { resolve });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'tls' });
  });

  test('reports plain HTTP on the port', async () => {
    const { port } = await http();
    expect(await post(`https://receiver.example:${port}/`, { resolve })).toMatchObject({
      code: 'no_tls',
      message: 'The receiver does not speak TLS on this port. Check the port in the URL.',
    });
  });

  const settings = Buffer.from('000000040000000000', 'hex');
  test.each([
    ['without TLS', 'http', () => createHttp2Server().on('sessionError', () => {})],
    ['with TLS', 'https', () => createSecureServer(good).on('tlsClientError', () => {})],
    ['without ALPN', 'https', () => createTlsServer(good, (socket) => socket.end(settings))],
  ])('reports a receiver that speaks only HTTP/2, %s', async (_, scheme, create) => {
    const port = await listen(create());
    expect(await post(`${scheme}://receiver.example:${port}/`, { resolve })).toMatchObject({
      code: 'http2_only',
      message: expect.stringContaining('webhooks are sent over HTTP/1.1'),
    });
  });

  test('reports a port that expects TLS', async () => {
    const alert = Buffer.from('15030300020232', 'hex');
    const port = await listen(createTcpServer((socket) => socket.end(alert)));
    expect(await post(`http://receiver.example:${port}/`, { resolve })).toMatchObject({
      code: 'https_only',
      message: expect.stringContaining('Write https in the URL.'),
    });
  });

  test.each([
    ['closes', () => createHttpsServer(good)],
    ['closes, and speaks only HTTP/2', () => createSecureServer(good)],
    ['resets', resettingTlsServer],
    ['closes, and has an untrusted certificate', () => createHttpsServer(unknown)],
    ['closes, and speaks only TLS 1.1', () => createHttpsServer(tls11)],
  ])('reports a port that expects TLS and %s without a reply', async (_, create) => {
    const port = await listen(await create());
    for (const host of ['receiver.example', '127.0.0.1']) {
      expect(await post(`http://${host}:${port}/`, { resolve })).toMatchObject({
        kind: 'failed',
        code: 'https_only',
        message: expect.stringContaining('Write https in the URL.'),
        status: null,
      });
    }
  });

  test('asks for TLS only on a connection that never got a reply, and sends nothing over it', async () => {
    const received: string[] = [];
    const server = createTcpServer((socket) => {
      socket.on('data', (chunk) => {
        received.push(chunk[0] === HANDSHAKE ? 'handshake' : chunk.toString('latin1', 0, 4));
        if (received.length === 1) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        else socket.end();
      });
    });
    const url = `http://127.0.0.1:${await listen(server)}/`;
    const poster = createPoster({ allow: LOOPBACK, timeoutMs: 2_000, userAgent: 'x' });
    open.push(() => poster.close());
    expect(await poster.post(url, {}, '{}')).toMatchObject({ status: 204 });
    await new Promise(setImmediate);
    expect(await poster.post(url, {}, '{}')).toMatchObject({ code: 'connection_reused' });
    expect(received).toEqual(['POST', 'POST']);
    expect(await poster.post(url, {}, '{}')).toMatchObject({ code: 'connection_reset' });
    expect(received).toEqual(['POST', 'POST', 'POST', 'handshake']);
  });

  test('reports a closed connection as that, if TLS is not answered before the time-out', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      open.push(() => socket.destroy());
      socket.on('data', () => ++connections === 1 && socket.end());
    });
    const url = `http://127.0.0.1:${await listen(server)}/`;
    expect(await post(url, { timeoutMs: 300 })).toMatchObject({ code: 'connection_reset' });
    expect(connections).toBe(2);
  });

  test('aborts with the poster while it asks for TLS', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      open.push(() => socket.destroy());
      socket.on('data', (chunk) => (chunk[0] === HANDSHAKE ? ask() : socket.end()));
    });
    const url = `http://127.0.0.1:${await listen(server)}/`;
    const poster = createPoster({ allow: LOOPBACK, timeoutMs: 20_000, userAgent: 'x' });
    const outcome = poster.post(url, {}, '{}');
    await asked;
    await poster.close();
    expect(await outcome).toMatchObject({ code: 'aborted' });
  });

  test('reports a handshake that is cut off, and one that never ends', async () => {
    const cut = await listen(createTcpServer((socket) => socket.destroy()));
    const outcome = await post(`https://receiver.example:${cut}/`, { resolve });
    expect(outcome).toMatchObject({ kind: 'failed', code: 'tls_closed' });
    const silent = createTcpServer((socket) => open.push(() => socket.destroy()));
    const url = `https://receiver.example:${await listen(silent)}/`;
    expect(await post(url, { resolve, timeoutMs: 200 })).toMatchObject({ code: 'connect_timeout' });
  });
});
