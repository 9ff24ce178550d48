import { expect, test } from 'vitest';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { admitted, freshPrefix, openRedis, startNode } from '../../../testing/limits-redis.ts';
import type { Window } from '../limiter.ts';

const WINDOW: Window = { requests: 5, seconds: 60 };

describeWithOwnRedis('a Redis that loses its data while nodes are connected', (startRedis) => {
  test('is resynced before it decides anything', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const node = await startNode(url, prefix);
    expect(await admitted(node, 4, WINDOW)).toBe(4);
    await redis.send('FLUSHALL');
    expect(await node.limiter.standing('7', 'overview/', WINDOW)).toMatchObject({ remaining: 1 });
    await redis.send('FLUSHALL');
    expect(await admitted(node, 5, WINDOW)).toBe(1);
    expect(await redis.admissions(prefix)).toHaveLength(5);
    expect(node.limiter.trouble()).toBeUndefined();
  });

  test('hears every node first, also those that nobody calls', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const [one, other, newcomer] = [
      await startNode(url, prefix),
      await startNode(url, prefix),
      await startNode(url, prefix),
    ];
    expect(await admitted(one, 3, WINDOW)).toBe(3);
    expect(await admitted(other, 2, WINDOW)).toBe(2);
    await redis.send('FLUSHALL');
    expect(await admitted(newcomer, 1, WINDOW)).toBe(0);
    expect(await redis.admissions(prefix)).toHaveLength(5);
  });

  test('hears a node first that came since the others last asked who is there', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const [one, newcomer] = [await startNode(url, prefix), await startNode(url, prefix)];
    expect(await admitted(newcomer, 5, WINDOW)).toBe(5);
    await redis.send('FLUSHALL');
    expect(await admitted(one, 1, WINDOW)).toBe(0);
    expect(await redis.admissions(prefix)).toHaveLength(5);
  });

  test('admits exactly the limit, however often it loses its data under load', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const nodes = [await startNode(url, prefix), await startNode(url, prefix)];
    const window: Window = { requests: 300, seconds: 600 };
    let count = 0;
    for (let round = 0; round < 5; round++) {
      const calls = Array.from({ length: 100 }, async (_, i) => {
        const standing = await nodes[i % 2]?.limiter.admit('7', 'overview/', window);
        if (standing?.admitted) count += 1;
      });
      await redis.send('FLUSHALL');
      await Promise.all(calls);
    }
    expect(count).toBe(300);
    // The last time nobody had to ask, but the nodes find out by themselves.
    await expect.poll(() => redis.admissions(prefix)).toHaveLength(300);
  });

  test('waits for a node that died with it, but not for ever', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const node = await startNode(url, prefix);
    expect(await admitted(node, 4, WINDOW)).toBe(4);
    const nodes = `${prefix}:nodes`;
    const fields = (await redis.send('HKEYS', nodes)) as unknown as string[];
    const self = fields.find((field) => !field.startsWith('#')) as string;
    const lastSeen = String(await redis.send('HGET', nodes, self));
    await redis.send('HSET', nodes, 'dead', lastSeen);
    await expect.poll(() => redis.send('HGET', nodes, self)).not.toBe(lastSeen);
    await redis.send('FLUSHALL');
    expect(await admitted(node, 2, WINDOW)).toBe(1);
    expect(node.limiter.trouble()).toBeUndefined();
  });

  test('a window that is deleted alone is merged again by the nodes that used it', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const nodes = [await startNode(url, prefix), await startNode(url, prefix)] as const;
    for (const node of nodes) expect(await admitted(node, 2, WINDOW)).toBe(2);
    await redis.send('DEL', `${prefix}:ring:7:overview/`);
    expect(await admitted(nodes[0], 1, WINDOW)).toBe(1);
    expect(await admitted(nodes[1], 2, WINDOW)).toBe(0);
    expect(await redis.admissions(prefix)).toHaveLength(5);
  });

  test('that loses its data all the time is decided without, and the log says so', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const node = await startNode(url, prefix);
    expect(await admitted(node, 4, WINDOW)).toBe(4);
    let isForgetting = true;
    const losing = (async () => {
      while (isForgetting) await redis.send('FLUSHALL');
    })();
    expect(await admitted(node, 2, WINDOW)).toBe(1);
    isForgetting = false;
    await losing;
    expect(node.said.filter((line) => line.includes('decides by itself'))).toHaveLength(1);
    // If it lasted, the node has given Redis up.
    await node.becomes('well');
    expect(await admitted(node, 1, WINDOW)).toBe(0);
    // Refused without a question, if the node knows that the window is full. Then it finds out by itself.
    await expect.poll(() => redis.admissions(prefix)).toHaveLength(5);
  });
});
