/** What several nodes admit together while none of them reaches Redis, and when they reach it again. */
import { expect, test } from 'vitest';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { MemoryJournal } from '../../../testing/limits-journal.ts';
import {
  admitted,
  allHaveHeard,
  freshPrefix,
  type Node,
  openRedis,
  remaining,
  startNode,
} from '../../../testing/limits-redis.ts';
import type { LoneNode, Window } from '../limiter.ts';

const WINDOW: Window = { requests: 100, seconds: 60 };

describeWithOwnRedis('two nodes that have lost Redis', (startRedis) => {
  /** Nodes that know of each other. */
  async function startNodes(url: string, prefix: string): Promise<[Node, Node]> {
    const nodes: [Node, Node] = [await startNode(url, prefix), await startNode(url, prefix)];
    await allHaveHeard(url, prefix);
    return nodes;
  }

  test('admit together what was left, and merge it when Redis is back', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const nodes = await startNodes(server.url, prefix);
    for (let n = 0; n < 61; n++) expect(await admitted(nodes[n % 2] as Node, 1, WINDOW)).toBe(1);
    await server.kill();
    for (const node of nodes) await node.becomes('troubled');
    const counts = [];
    for (const node of nodes) counts.push(await admitted(node, 100, WINDOW));
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(40);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(19);
    await server.restart();
    for (const node of nodes) await node.becomes('well');
    const redis = await openRedis(server.url);
    const inRedis = (await redis.admissions(prefix)).length;
    // One of them had not heard of the other's last call, and Redis keeps no more than the window has.
    expect(inRedis).toBe(Math.min(61 + counts.reduce((sum, count) => sum + count), 100));
    expect(await remaining(nodes[0], WINDOW)).toBe(100 - inRedis);
  });

  test('know what the other used, also if nobody ever asked them about it', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const [one, other] = await startNodes(server.url, prefix);
    expect(await admitted(one, 90, WINDOW)).toBe(90);
    await allHaveHeard(server.url, prefix);
    await server.kill();
    for (const node of [one, other]) await node.becomes('troubled');
    const alone = (await admitted(one, 50, WINDOW)) + (await admitted(other, 50, WINDOW));
    expect(alone).toBeGreaterThan(0);
    // Less than a quarter of the window is not told.
    expect(alone).toBeLessThanOrEqual(10 + 24 / 2);
  });

  test('the last slot belongs to one of them', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const nodes = await startNodes(server.url, prefix);
    const window = { requests: 3, seconds: 60 };
    for (const node of nodes) expect(await admitted(node, 1, window)).toBe(1);
    await server.kill();
    for (const node of nodes) await node.becomes('troubled');
    // The first heard that two are left, the second that one is.
    const counts = [await admitted(nodes[0], 3, window), await admitted(nodes[1], 3, window)];
    expect(counts[0]).toBe(1);
    expect(counts[1]).toBeLessThanOrEqual(1);
  });

  test('tell others only if they know of some, and no longer when Redis is back', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const told: string[] = [];
    const journal = Object.assign(new MemoryJournal(), {
      loneNodes: {
        tell: async ({ nodes, rank }: LoneNode) => void told.push(`${rank} of ${nodes}`),
        untell: async () => void told.push('back'),
        heard: () => [],
      },
    });
    await server.kill();
    const one = await startNode(server.url, prefix, journal);
    await one.becomes('troubled');
    await server.restart();
    await one.becomes('well');
    expect(told).toEqual([]);
    await startNode(server.url, prefix);
    await allHaveHeard(server.url, prefix);
    await server.kill();
    await one.becomes('troubled');
    expect(told).toEqual([expect.stringMatching(/^[01] of 2$/)]);
    await server.restart();
    await one.becomes('well');
    expect(told.at(-1)).toBe('back');
  });

  test('wait for each other when the same Redis is back', async () => {
    const server = await startRedis();
    const prefix = freshPrefix();
    const [one, other] = await startNodes(server.url, prefix);
    const redis = await openRedis(server.url);
    process.kill(server.pid as number, 'SIGSTOP');
    const window = { requests: 10, seconds: 60 };
    expect(await admitted(one, 10, window)).toBe(4);
    expect(await admitted(other, 10, window)).toBe(4);
    process.kill(server.pid as number, 'SIGCONT');
    // Whichever is back first finds what the other has admitted.
    await Promise.race([one.becomes('well'), other.becomes('well')]);
    expect(await redis.admissions(prefix)).toHaveLength(8);
    for (const node of [one, other]) await node.becomes('well');
    expect((await admitted(one, 5, window)) + (await admitted(other, 5, window))).toBe(2);
  });
});
