import { expect, test } from 'vitest';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { openProxy } from '../../../testing/limits-proxy.ts';
import {
  admitted,
  freshPrefix,
  type Node,
  openRedis,
  remaining,
  startNode,
} from '../../../testing/limits-redis.ts';
import type { Window } from '../limiter.ts';

const WINDOW: Window = { requests: 5, seconds: 60 };

describeWithOwnRedis('redis limiter while Redis is away', (startRedis) => {
  test.for([
    { comesBack: 'empty', save: false },
    { comesBack: 'as it was', save: true },
  ])('goes on alone and counts once: Redis comes back $comesBack', async ({ save }) => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const node = await startNode(server.url, prefix);
    expect(await admitted(node, 3, WINDOW)).toBe(3);
    if (save) await (await openRedis(server.url)).send('SAVE');

    await server.kill();
    await node.becomes('troubled');
    expect(node.limiter.trouble()).toMatch(
      /^Redis is out of reach \(.+\): this node holds the limits by itself until Redis is back\.$/,
    );
    expect(await remaining(node, WINDOW)).toBe(2);
    expect(await admitted(node, 4, WINDOW)).toBe(2);

    await server.restart();
    await node.becomes('well');
    expect(node.limiter.trouble()).toBeUndefined();
    expect(await remaining(node, WINDOW)).toBe(0);
    const another = await startNode(server.url, prefix);
    expect(await admitted(another, 1, WINDOW)).toBe(0);
    const redis = await openRedis(server.url);
    expect(await redis.admissions(prefix)).toHaveLength(5);
  });

  test('Redis comes back from an old copy: what it lost is merged again', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const nodes = [await startNode(server.url, prefix), await startNode(server.url, prefix)];
    const [one, other] = nodes as [Node, Node];
    expect(await admitted(one, 1, WINDOW)).toBe(1);
    await (await openRedis(server.url)).send('SAVE');
    expect(await admitted(one, 1, WINDOW)).toBe(1);
    expect(await admitted(other, 1, WINDOW)).toBe(1);
    await server.kill();
    for (const node of nodes) await node.becomes('troubled');
    expect(await admitted(other, 1, WINDOW)).toBe(1);
    await server.restart();
    for (const node of nodes) await node.becomes('well');
    expect(await remaining(one, WINDOW)).toBe(1);
    expect(await remaining(other, WINDOW)).toBe(1);
    const redis = await openRedis(server.url);
    expect(await redis.admissions(prefix)).toHaveLength(4);
  });

  test('a connection that is cut under load loses no admission and counts none twice', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const node = await startNode(server.url, prefix);
    const redis = await openRedis(server.url);
    const window: Window = { requests: 100_000, seconds: 600 };
    let admitted = 0;
    for (let round = 0; round < 5; round++) {
      const calls = Array.from({ length: 500 }, async () => {
        const standing = await node.limiter.admit('7', 'overview/', window);
        if (standing.admitted) admitted += 1;
      });
      await redis.send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await Promise.all(calls);
      await node.becomes('well');
    }
    expect(admitted).toBe(2_500);
    await expect.poll(async () => (await redis.admissions(prefix)).length).toBe(2_500);
  });

  test('a Redis that hangs is given up, and what it still does later counts once', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const node = await startNode(server.url, prefix);
    const redis = await openRedis(server.url);
    expect(await admitted(node, 1, WINDOW)).toBe(1);

    process.kill(server.pid as number, 'SIGSTOP');
    const startedMs = performance.now();
    expect(await admitted(node, 2, WINDOW)).toBe(2);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect(node.limiter.trouble()).toContain('did not answer');

    process.kill(server.pid as number, 'SIGCONT');
    await node.becomes('well');
    expect(await remaining(node, WINDOW)).toBe(2);
    expect(await redis.admissions(prefix)).toHaveLength(3);
  });

  test('what is still under way when the connection is given up counts once', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const proxy = await openProxy(server.port);
    const node = await startNode(proxy.url, prefix);
    expect(await admitted(node, 1, WINDOW)).toBe(1);

    const arrive = proxy.block();
    expect(await admitted(node, 1, WINDOW)).toBe(1);
    await node.becomes('well');
    expect(await remaining(node, WINDOW)).toBe(3);
    await arrive();
    const redis = await openRedis(server.url);
    expect(await redis.admissions(prefix)).toHaveLength(2);
  });

  test('without Redis at the start it works alone until there is one', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    await server.stop();
    const node = await startNode(server.url, prefix);
    expect(node.limiter.trouble()).toContain('ECONNREFUSED');
    expect(await admitted(node, 6, WINDOW)).toBe(5);
    await server.restart();
    await node.becomes('well');
    expect(await (await openRedis(server.url)).admissions(prefix)).toHaveLength(5);
  });

  test('many windows are merged, each with its own admissions', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const node = await startNode(server.url, prefix);
    await server.stop();
    await node.becomes('troubled');
    for (let key = 0; key < 1_000; key++) {
      for (let i = 0; i < 1 + (key % 3); i++) {
        await node.limiter.admit(String(key), 'overview/', WINDOW);
      }
    }
    await server.restart();
    await node.becomes('well');
    for (const key of [0, 1, 2, 998, 999]) {
      const standing = await node.limiter.standing(String(key), 'overview/', WINDOW);
      expect(standing.remaining).toBe(4 - (key % 3));
      expect(standing.resetInMs).toBeLessThanOrEqual(60_000);
    }
  });

  test('a Redis that only lets itself be read counts as lost', async () => {
    const server = await startRedis();
    const node = await startNode(server.url, freshPrefix());
    const redis = await openRedis(server.url);
    await redis.send('REPLICAOF', '127.0.0.1', '1');
    expect(await admitted(node, 6, WINDOW)).toBe(5);
    expect(node.limiter.trouble()).toContain('READONLY');
    await redis.send('REPLICAOF', 'NO', 'ONE');
    await node.becomes('well');
    expect(await remaining(node, WINDOW)).toBe(0);
  });

  test('a user who may not ask about the server can still share limits', async () => {
    const server = await startRedis();
    const redis = await openRedis(server.url);
    await redis.send(
      ...['ACL', 'SETUSER', 'limits', 'on', '>secret', '~*'],
      ...['+@all', '-info', '-client'],
    );
    const url = new URL(server.url);
    url.username = 'limits';
    url.password = 'secret';
    const prefix = freshPrefix();
    const node = await startNode(url.href, prefix);
    expect(node.limiter.trouble()).toBeUndefined();
    expect(await admitted(node, 2, WINDOW)).toBe(2);
    await redis.send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await node.becomes('troubled');
    await node.becomes('well');
    expect(await remaining(node, WINDOW)).toBe(3);
  });

  test('it and one who may share them too, at the start and after Redis has lost everything', async () => {
    const server = await startRedis();
    const redis = await openRedis(server.url);
    await redis.send('ACL', 'SETUSER', 'limits', 'on', '>secret', '~*', '+@all', '-info');
    const url = new URL(server.url);
    url.username = 'limits';
    url.password = 'secret';
    const prefix = freshPrefix();
    const nodes = await Promise.all(
      [url.href, server.url, url.href].map((one) => startNode(one, prefix)),
    );
    const admitOnAll = async () => {
      let count = 0;
      for (const node of nodes) count += await admitted(node, 1, WINDOW);
      return count;
    };
    expect(await admitOnAll()).toBe(3);
    await redis.send('FLUSHALL');
    expect(await admitOnAll()).toBe(2);
    expect(await redis.admissions(prefix)).toHaveLength(5);
    for (const node of nodes) expect(node.limiter.trouble()).toBeUndefined();
  });

  test('a key of ours that holds something else is named', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const node = await startNode(server.url, prefix);
    const redis = await openRedis(server.url);
    await redis.send('LPUSH', `${prefix}:ring:7:overview/`, 'something else');
    expect(await admitted(node, 6, WINDOW)).toBe(5);
    await expect
      .poll(() => node.limiter.trouble())
      .toMatch(new RegExp(`WRONGTYPE.*\\(${prefix}:ring:7:overview/\\)`));
    await redis.send('DEL', `${prefix}:ring:7:overview/`);
    await node.becomes('well');
    expect(await redis.admissions(prefix)).toHaveLength(5);
  });

  test('it can be closed while Redis is away', async () => {
    const server = await startRedis();
    const node = await startNode(server.url, freshPrefix());
    await server.stop();
    await node.becomes('troubled');
    await node.limiter.close();
    await server.restart();
    const redis = await openRedis(server.url);
    const clients = String(await redis.send('CLIENT', 'LIST'));
    expect(clients.trim().split('\n')).toHaveLength(1);
  });
});
