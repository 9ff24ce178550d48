/** Failed sign-ins where nodes share a Redis. */
import { expect, test } from 'vitest';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { openFakeRedis } from '../../../testing/limits-fake-redis.ts';
import {
  allHaveHeard,
  freshPrefix,
  type Node,
  openRedis,
  startNode,
} from '../../../testing/limits-redis.ts';
import { systemClock } from '../../base/clock.ts';
import { FailedLogins, TooManyFailedLogins } from './failed-logins.ts';

const ADDRESS = '192.0.2.1';

/** The outcome of a sign-in: `in`, `failed` or `held`. */
async function signIn(failedLogins: FailedLogins, apiKey: string, address = ADDRESS) {
  try {
    const verify = async () => (apiKey === 'right' ? 'a caller' : undefined);
    return (await failedLogins.attempt(address, verify)) === undefined ? 'failed' : 'in';
  } catch (error) {
    if (!(error instanceof TooManyFailedLogins)) throw error;
    expect(error.retryAfterMs).toBeGreaterThan(0);
    expect(error.retryAfterMs).toBeLessThanOrEqual(60_000);
    return 'held';
  }
}

function count(outcomes: readonly string[], outcome: string): number {
  return outcomes.filter((one) => one === outcome).length;
}

describeWithOwnRedis('failed sign-ins of nodes that share a Redis', (startRedis) => {
  async function start() {
    const server = await startRedis();
    const prefix = freshPrefix();
    const nodes = [await startNode(server.url, prefix), await startNode(server.url, prefix)];
    const [one, other] = nodes.map(({ limiter }) => new FailedLogins(systemClock, limiter)) as [
      FailedLogins,
      FailedLogins,
    ];
    return { server, prefix, nodes: nodes as [Node, Node], one, other };
  }

  test('count together, and whoever used them up is held back everywhere', async () => {
    const { server, prefix, one, other } = await start();
    for (let n = 0; n < 10; n++) {
      expect(await signIn(one, 'wrong')).toBe('failed');
      expect(await signIn(other, 'wrong')).toBe('failed');
    }
    expect(await signIn(one, 'wrong')).toBe('held');
    await allHaveHeard(server.url, prefix);
    expect(await signIn(one, 'right')).toBe('held');
    expect(await signIn(other, 'right')).toBe('held');
    expect(() => other.check(ADDRESS)).toThrow(TooManyFailedLogins);
    expect(await signIn(other, 'right', '192.0.2.2')).toBe('in');
    // An IPv6 network counts as one address.
    for (let n = 0; n < 20; n++)
      expect(await signIn(one, 'wrong', `2001:db8::${n}`)).toBe('failed');
    expect(await signIn(other, 'wrong', '2001:db8::ffff')).toBe('held');
  });

  test('of 60 at once on two nodes, 20 are told', async () => {
    const { one, other } = await start();
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, n) => signIn(n % 2 ? one : other, 'wrong')),
    );
    expect(count(outcomes, 'failed')).toBe(20);
    expect(count(outcomes, 'held')).toBe(40);
  });

  test('count on each node by itself while Redis is away', async () => {
    const { server, nodes, one, other } = await start();
    expect(await signIn(one, 'wrong')).toBe('failed');
    await server.kill();
    for (const node of nodes) await node.becomes('troubled');
    for (let n = 1; n < 20; n++) expect(await signIn(one, 'wrong')).toBe('failed');
    expect(await signIn(one, 'wrong')).toBe('held');
    expect(await signIn(other, 'right')).toBe('in');
    await server.restart();
    for (const node of nodes) await node.becomes('well');
    expect(await signIn(one, 'right')).toBe('held');
  });

  test('are forgotten after a minute, and of too many addresses the oldest at once', async () => {
    const { server, prefix, nodes, one } = await start();
    const redis = await openRedis(server.url);
    // Some at a time, because Redis answers nobody else meanwhile.
    const fill = `
      for n = ARGV[1], ARGV[1] + 4999 do
        redis.call('ZADD', KEYS[1], ARGV[2] + n, 'address ' .. n)
        redis.call('HSET', KEYS[2], 'address ' .. n, 'failures')
      end`;
    const keys = [`${prefix}:failed-last`, `${prefix}:failed`];
    const sinceUs = String((Date.now() - 1_000) * 1_000);
    for (let n = 1; n < 100_000; n += 5_000) {
      await redis.send('EVAL', fill, '2', ...keys, String(n), sinceUs);
    }
    for (const node of nodes) await node.becomes('well');
    expect(await signIn(one, 'wrong')).toBe('failed');
    expect(await redis.send('HEXISTS', `${prefix}:failed`, ADDRESS)).toBe(1);
    expect(await redis.send('ZCARD', `${prefix}:failed-last`)).toBe(100_000);
    expect(await redis.send('HLEN', `${prefix}:failed`)).toBe(100_000);
    expect(await redis.send('HEXISTS', `${prefix}:failed`, 'address 1')).toBe(0);
    for (const key of ['failed', 'failed-last']) {
      const keptMs = Number(await redis.send('PTTL', `${prefix}:${key}`));
      expect(keptMs).toBeGreaterThan(0);
      expect(keptMs).toBeLessThanOrEqual(60_000);
    }
  });

  test('a sign-in that succeeds asks Redis nothing', async () => {
    const redis = await openFakeRedis();
    redis.replies.FAIL = '*2\r\n:1\r\n:0\r\n';
    const { limiter } = await startNode(redis.url, freshPrefix());
    const failedLogins = new FailedLogins(systemClock, limiter);
    expect(await signIn(failedLogins, 'right')).toBe('in');
    expect(redis.asked.get('FAIL')).toBeUndefined();
    expect(await signIn(failedLogins, 'wrong')).toBe('failed');
    expect(redis.asked.get('FAIL')).toBe(1);
  });
});
