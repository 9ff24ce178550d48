/** A Redis cluster: all keys of an environment are on one of its servers, and limits follow them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../../../../kit/redis-cluster.ts';
import type { ThrowAwayServer } from '../../../../kit/throw-away-server.ts';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import {
  admitted,
  freshPrefix,
  losesNothingByPromotion,
  openRedis,
  remaining,
  startNode,
} from '../../../testing/limits-redis.ts';

const WINDOW = { requests: 5, seconds: 60 };

describeWithOwnRedis('a Redis cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster?.end());

  /** So that the keys with this prefix are on this server. */
  async function prefixOn(server: ThrowAwayServer): Promise<string> {
    for (;;) {
      const prefix = freshPrefix();
      if ((await cluster.ownerOf(prefix)) === server) return prefix;
    }
  }

  test.each([0, 1, 2])(
    'has the limits on primary %i, whichever of its nodes are named',
    async (n) => {
      const server = cluster.primaries[n] as ThrowAwayServer;
      const prefix = await prefixOn(server);
      const one = await startNode(cluster.url, prefix);
      const other = await startNode(`redis+cluster://127.0.0.1:${cluster.replica.port}`, prefix);
      expect(await admitted(one, 3, WINDOW)).toBe(3);
      expect(await admitted(other, 3, WINDOW)).toBe(2);
      for (const node of [one, other]) expect(node.limiter.trouble()).toBeUndefined();
      expect(await (await openRedis(server.url)).admissions(prefix)).toHaveLength(5);
    },
  );

  test('limits go along when their slot is given to another primary', async () => {
    const [, from, to] = cluster.primaries as [unknown, ThrowAwayServer, ThrowAwayServer];
    const prefix = await prefixOn(from);
    const one = await startNode(cluster.url, prefix);
    const other = await startNode(cluster.url, prefix);
    expect(await admitted(one, 1, WINDOW)).toBe(1);
    expect(await admitted(other, 1, WINDOW)).toBe(1);
    await cluster.moveSlotOf(prefix, to, async () => {
      // Some of the keys are here, some there: no check can be made.
      expect(await admitted(one, 1, WINDOW)).toBe(1);
      expect(one.limiter.trouble()).toMatch(/TRYAGAIN|ASK/);
    });
    for (const node of [one, other]) {
      await expect.poll(() => remaining(node, WINDOW), { timeout: 10_000 }).toBe(2);
    }
    expect(await admitted(one, 3, WINDOW)).toBe(2);
    expect(await (await openRedis(to.url)).admissions(prefix)).toHaveLength(5);
  });

  // The last of this file, because the primary is gone afterwards.
  test('a promoted replica is told what it lacks', async () => {
    const [primary] = cluster.primaries as [ThrowAwayServer];
    const { replica, url } = cluster;
    await losesNothingByPromotion({ primary, replica, url }, await prefixOn(primary));
  });
});
