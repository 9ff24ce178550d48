/** Connecting to Redis: signing in, encryption, and servers that are not Redis. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { issueCertificate } from '../../../testing/certificates.ts';
import { admitted, freshPrefix, openRedis, startNode } from '../../../testing/limits-redis.ts';

const WINDOW = { requests: 5, seconds: 60 };
const listening: Server[] = [];

afterEach(() => {
  for (const server of listening.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  listening.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Why a node says that it can't reach the Redis at this URL. */
async function troubleWith(url: string): Promise<string> {
  const node = await startNode(url, freshPrefix());
  await node.becomes('troubled');
  expect(await admitted(node, 6, WINDOW)).toBe(5);
  return String(node.limiter.trouble());
}

describeWithOwnRedis('a Redis with a user, a password and a database', (startRedis) => {
  test('is signed in to, and its database is used', async () => {
    const server = await startRedis();
    const operator = await openRedis(server.url);
    await operator.send('ACL', 'SETUSER', 'ünlimited', 'on', '>p@ss/wörd%', '~*', '+@all');
    const prefix = freshPrefix();
    const url = new URL(server.url);
    url.username = 'ünlimited';
    url.password = 'p@ss/wörd%25';
    url.pathname = '/3';
    const node = await startNode(url.href, prefix);
    expect(node.limiter.trouble()).toBeUndefined();
    expect(await admitted(node, 6, WINDOW)).toBe(5);
    expect(await operator.admissions(prefix)).toEqual([]);
    await operator.send('SELECT', '3');
    expect(await operator.admissions(prefix)).toHaveLength(5);
  });

  test('that has only a password', async () => {
    const server = await startRedis();
    const operator = await openRedis(server.url);
    await operator.send('CONFIG', 'SET', 'requirepass', 'secret');
    const url = new URL(server.url);
    expect(await troubleWith(url.href)).toContain('NOAUTH');
    url.password = 'wrong';
    const trouble = await troubleWith(url.href);
    expect(trouble).toContain('WRONGPASS');
    expect(trouble).not.toContain('wrong');
    url.password = 'secret';
    const node = await startNode(url.href, freshPrefix());
    expect(node.limiter.trouble()).toBeUndefined();

    await operator.send('CONFIG', 'SET', 'requirepass', 'changed');
    url.password = 'changed';
    expect(node.limiter.useCredentials?.(url.href)).toBe(true);
    expect(node.limiter.useCredentials?.(url.href)).toBe(false);
    expect(node.limiter.trouble()).toBeUndefined();
    await operator.send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await node.becomes('troubled');
    await node.becomes('well');
  });

  test('that gives its user no rights but those over our keys', async () => {
    const server = await startRedis();
    const operator = await openRedis(server.url);
    const rights = ['resetkeys', '~bellhop*', '-@all', '+@read', '+@write', '+eval', '+evalsha'];
    await operator.send('ACL', 'SETUSER', 'limits', 'on', '>secret', ...rights, '+time');
    const prefix = freshPrefix();
    const node = await startNode(server.url.replace('//', '//limits:secret@'), prefix);
    expect(node.limiter.trouble()).toBeUndefined();
    expect(await admitted(node, 6, WINDOW)).toBe(5);
    expect(await operator.admissions(prefix)).toHaveLength(5);
  });

  test('a database that it does not have is a trouble', async () => {
    const server = await startRedis();
    expect(await troubleWith(`${server.url}/99`)).toContain('DB index is out of range');
  });

  describe('behind TLS', () => {
    const authority = issueCertificate({ name: 'Test authority', isAuthority: true });
    const before = getCACertificates('default');
    beforeAll(() => setDefaultCACertificates([...before, authority.cert]));
    afterAll(() => setDefaultCACertificates(before));

    async function encrypted(port: number, addresses: string[]): Promise<string> {
      const { cert, key } = issueCertificate({ name: 'redis', addresses, issuer: authority });
      const proxy = createTlsServer({ cert, key }, (near) => {
        const far = connect(port, '127.0.0.1');
        near.pipe(far).pipe(near);
        near.on('error', () => far.destroy());
        far.on('error', () => near.destroy());
      });
      return `rediss://127.0.0.1:${await portOf(proxy)}`;
    }

    test('is asked over an encrypted connection', async () => {
      const server = await startRedis();
      const prefix = freshPrefix();
      const node = await startNode(await encrypted(server.port, ['127.0.0.1']), prefix);
      await node.becomes('well');
      expect(await admitted(node, 6, WINDOW)).toBe(5);
      expect(await (await openRedis(server.url)).admissions(prefix)).toHaveLength(5);
    });

    test('is not trusted with a certificate of another host', async () => {
      const server = await startRedis();
      const url = await encrypted(server.port, ['192.0.2.7']);
      expect(await troubleWith(url)).toContain("not in the cert's list");
    });

    test('is not asked if it does not encrypt', async () => {
      const { url } = await startRedis();
      // It waits for the rest of a command, or finds that this is none.
      expect(await troubleWith(url.replace('redis:', 'rediss:'))).toMatch(
        /no connection in 1000 ms|disconnected before secure TLS|wrong version number/,
      );
    });
  });
});

describe('a Redis that takes no connections', () => {
  test('says why before it hangs up', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end('-ERR max number of clients reached\r\n');
    });
    const url = `redis://127.0.0.1:${await portOf(server)}`;
    expect(await troubleWith(url)).toContain('max number of clients reached');
  });

  test('is named with each of its addresses', async () => {
    const server = createServer();
    const port = await portOf(server);
    server.close();
    expect(await troubleWith(`redis://localhost:${port}`)).toContain(`ECONNREFUSED`);
  });
});

describe('a server that is not Redis', () => {
  /** It answers whatever it is sent with this. */
  async function answering(reply: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => reply(socket));
    });
    return `redis://127.0.0.1:${await portOf(server)}`;
  }

  test.each<[string, (socket: Socket) => void, string]>([
    [
      'speaks HTTP',
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'it does not speak the protocol of Redis',
    ],
    ['hangs up', (socket) => socket.end(), 'it has closed the connection'],
    ['hangs up in the middle', (socket) => socket.end('$100\r\nrun_id'), 'it has closed'],
    ['says too much', (socket) => socket.write('+OK\r\n+OK\r\n'), 'a reply to no command'],
    ['is silent', () => {}, 'it did not answer in 500 ms'],
    ['never ends', (socket) => flood(socket), 'its reply has no end'],
  ])('and %s', async (_, reply, trouble) => {
    expect(await troubleWith(await answering(reply))).toContain(trouble);
  });
});

function flood(socket: Socket): void {
  socket.write('+');
  const more = Buffer.alloc(65_536, 'x');
  const write = () => {
    while (!socket.destroyed && socket.write(more));
  };
  socket.on('drain', write);
  write();
}
