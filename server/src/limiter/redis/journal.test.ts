import { expect, test } from 'vitest';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { MemoryJournal } from '../../../testing/limits-journal.ts';
import { admitted, freshPrefix, openRedis, startNode } from '../../../testing/limits-redis.ts';
import { systemClock } from '../../base/clock.ts';
import type { Window } from '../limiter.ts';
import { createMemoryLimiter } from '../memory-limiter.ts';

const DAY: Window = { requests: 5, seconds: 86_400 };
const MINUTE: Window = { requests: 5, seconds: 60 };

/** A node that is left where it is takes no further part: that is how these tests kill it. */
describeWithOwnRedis('a node that restarts while Redis is away', (startRedis) => {
  test('goes on from what it had admitted alone, and merges it once', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const journal = new MemoryJournal();
    await server.stop();
    let count = 0;
    for (const times of [2, 2, 3, 1]) {
      const node = await startNode(server.url, prefix, journal);
      count += await admitted(node, times, DAY);
    }
    expect(count).toBe(5);

    await server.restart();
    const redis = await openRedis(server.url);
    for (const _ of ['first', 'second']) {
      const node = await startNode(server.url, prefix, journal);
      expect(await admitted(node, 1, DAY)).toBe(0);
    }
    expect(await redis.admissions(prefix)).toHaveLength(5);
  });

  test('goes on from what Redis had admitted before', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const journal = new MemoryJournal();
    const before = await startNode(server.url, prefix, journal);
    expect(await admitted(before, 3, DAY)).toBe(3);
    await expect.poll(() => journal.admissions, { timeout: 5_000 }).toHaveLength(3);
    await server.stop();
    const after = await startNode(server.url, prefix, journal);
    expect(await admitted(after, 5, DAY)).toBe(2);
    const again = await startNode(server.url, prefix, journal);
    expect(await admitted(again, 5, DAY)).toBe(0);
  });

  test('knows what other nodes on its database had admitted', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const journal = new MemoryJournal();
    const nodes = [
      await startNode(server.url, prefix, journal),
      await startNode(server.url, prefix, journal),
    ] as const;
    for (const node of nodes) expect(await admitted(node, 2, DAY)).toBe(2);
    for (const node of nodes) await node.limiter.close();
    await server.stop();
    const node = await startNode(server.url, prefix, journal);
    expect(await admitted(node, 5, DAY)).toBe(1);
  });

  test('keeps short windows through an orderly stop', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const journal = new MemoryJournal();
    await server.stop();
    const before = await startNode(server.url, prefix, journal);
    expect(await admitted(before, 3, MINUTE)).toBe(3);
    expect(journal.admissions).toHaveLength(0);
    await before.limiter.close();
    const after = await startNode(server.url, prefix, journal);
    expect(await admitted(after, 5, MINUTE)).toBe(2);
  });

  test('admits to a long window only what the journal has taken', async () => {
    const server = await startRedis();
    await server.stop();
    const journal = new MemoryJournal();
    const { limiter } = await startNode(server.url, freshPrefix(), journal);
    journal.failure = new Error('disk full');
    await expect(limiter.admit('7', 'overview/', DAY)).rejects.toThrow('disk full');
    expect((await limiter.admit('7', 'hotel/info/', MINUTE)).admitted).toBe(true);
    journal.failure = undefined;
    expect((await limiter.admit('7', 'overview/', DAY)).remaining).toBe(3);
    expect(journal.admissions).toHaveLength(2);
  });
});

describeWithOwnRedis('a journal beside Redis', (startRedis) => {
  test('is merged into a Redis that came back empty while no node ran', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const journal = new MemoryJournal();
    const before = await startNode(server.url, prefix, journal);
    expect(await admitted(before, 3, DAY)).toBe(3);
    await before.limiter.close();
    await server.kill();
    await server.restart();
    const after = await startNode(server.url, prefix, journal);
    expect(await admitted(after, 5, DAY)).toBe(2);
  });

  test('is not merged into a Redis that has it all', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const journal = new MemoryJournal();
    const before = await startNode(url, prefix, journal);
    const keys = Array.from({ length: 300 }, (_, key) => String(key));
    await Promise.all(keys.map((key) => before.limiter.admit(key, 'overview/', DAY)));
    await before.limiter.close();
    await redis.send('CONFIG', 'RESETSTAT');
    const after = await startNode(url, prefix, journal);
    const stats = String(await redis.send('INFO', 'commandstats'));
    expect(Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)).toBeLessThan(10);
    expect(await after.limiter.standing('7', 'overview/', DAY)).toMatchObject({ remaining: 4 });
  });

  test('that was written without Redis counts once there, and the other way round', async () => {
    const { url } = await startRedis();
    const prefix = freshPrefix();
    const journal = new MemoryJournal();
    const embedded = await createMemoryLimiter({ clock: systemClock, journal });
    await Promise.all([1, 2].map(() => embedded.admit('7', 'overview/', DAY)));
    await embedded.close();

    const redis = await openRedis(url);
    for (const remaining of [2, 1]) {
      const { limiter } = await startNode(url, prefix, journal);
      expect(await limiter.admit('7', 'overview/', DAY)).toMatchObject({ remaining });
      await limiter.close();
    }
    expect(await redis.admissions(prefix)).toHaveLength(4);
    const again = await createMemoryLimiter({ clock: systemClock, journal });
    expect(again.standing('7', 'overview/', DAY)).toMatchObject({ remaining: 1 });
  });

  test('that cannot be written is reported, and made good', async () => {
    const { url } = await startRedis();
    const journal = new MemoryJournal();
    const node = await startNode(url, freshPrefix(), journal);
    journal.failure = new Error('disk full');
    expect(await admitted(node, 2, DAY)).toBe(2);
    await expect.poll(() => node.limiter.trouble(), { timeout: 5_000 }).toContain('disk full');
    journal.failure = undefined;
    await expect.poll(() => journal.admissions, { timeout: 5_000 }).toHaveLength(2);
    expect(node.limiter.trouble()).toBeUndefined();
  });
});
