/** A window of tens of thousands: neither Redis nor the node may be held up by merging it all at once. */
import { expect, test } from 'vitest';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { freshPrefix, type Node, openRedis, startNode } from '../../../testing/limits-redis.ts';
import type { Window } from '../limiter.ts';

const WINDOW: Window = { requests: 50_000, seconds: 3_600 };
const ADMITTED = 20_000;

async function admit({ limiter }: Node, times: number): Promise<void> {
  for (let left = times; left > 0; left -= 500) {
    const calls = Array.from({ length: Math.min(left, 500) }, () =>
      limiter.admit('7', 'overview/', WINDOW),
    );
    for (const { admitted } of await Promise.all(calls)) expect(admitted).toBe(true);
  }
}

async function remaining({ limiter }: Node): Promise<number> {
  return (await limiter.standing('7', 'overview/', WINDOW)).remaining;
}

describeWithOwnRedis('a window of tens of thousands', (startRedis) => {
  test('after a Redis that hung, only what it may lack is merged', async () => {
    const { url, pid } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const node = await startNode(url, prefix);
    await admit(node, ADMITTED);
    const received = async () =>
      Number(/total_net_input_bytes:(\d+)/.exec(String(await redis.send('INFO', 'stats')))?.[1]);
    const before = await received();
    process.kill(pid as number, 'SIGSTOP');
    await admit(node, 500);
    process.kill(pid as number, 'SIGCONT');
    await node.becomes('well');
    await expect.poll(async () => (await redis.admissions(prefix)).length).toBe(ADMITTED + 500);
    expect(await received()).toBeLessThan(before + 300_000);
    expect(await remaining(node)).toBe(WINDOW.requests - ADMITTED - 500);
  });

  test('after a Redis that has lost its data, everything is merged, in parts', async () => {
    const { url } = await startRedis();
    const redis = await openRedis(url);
    const prefix = freshPrefix();
    const nodes = [await startNode(url, prefix), await startNode(url, prefix)] as const;
    for (const node of nodes) await admit(node, ADMITTED);
    await redis.send('SLOWLOG', 'RESET');
    await redis.send('CONFIG', 'SET', 'slowlog-log-slower-than', '0', 'slowlog-max-len', '100000');
    await redis.send('FLUSHALL');
    await expect
      .poll(async () => (await redis.admissions(prefix)).length, { timeout: 20_000 })
      .toBe(2 * ADMITTED);
    for (const node of nodes) expect(await remaining(node)).toBe(WINDOW.requests - 2 * ADMITTED);
    const commands = (await redis.send('SLOWLOG', 'GET', '-1')) as unknown as unknown[][];
    // Redis shows the first arguments of a command, and how many there were besides.
    const most = commands.map((command) => {
      const args = command[3] as string[];
      return args.length + Number(/(\d+) more arguments/.exec(args.at(-1) ?? '')?.[1] ?? 0);
    });
    expect(Math.max(...most)).toBeLessThan(5_000);
  });
});
