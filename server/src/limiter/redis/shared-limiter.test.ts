import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeWithRedis } from '../../../../test/support.ts';
import { describeLimiter } from '../../../testing/conformance/limits.ts';
import { freshPrefix, openRedis, ringWith, startNode } from '../../../testing/limits-redis.ts';
import type { Window } from '../limiter.ts';

describeWithRedis('redis limiter', (url) => {
  describeLimiter('redis', 1, async () => {
    const { limiter } = await startNode(url, freshPrefix());
    // A timer may fire up to a millisecond early.
    return { limiter, wait: (ms) => sleep(Math.ceil(ms) + 1) };
  });

  test('200 callers of two nodes get no more than N in any second, and no less', async () => {
    const window: Window = { requests: 20, seconds: 1 };
    const prefix = freshPrefix();
    const redis = await openRedis(url);
    const nodes = [await startNode(url, prefix), await startNode(url, prefix)];
    const admitted: { sentMs: number; receivedMs: number }[] = [];
    const recorded = new Map<string, number>();
    const endMs = performance.now() + 3_500;

    async function call(caller: number): Promise<void> {
      while (performance.now() < endMs) {
        const sentMs = performance.now();
        const standing = await nodes[caller % 2]?.limiter.admit('7', 'overview/', window);
        if (standing?.admitted) {
          admitted.push({ sentMs, receivedMs: performance.now() });
          // At once, because the admissions of the next second take the places of these.
          await record();
        }
        await sleep(caller % 20);
      }
    }
    async function record(): Promise<void> {
      for (const { id, atMs } of await redis.admissions(prefix)) recorded.set(id, atMs);
    }
    await Promise.all(Array.from({ length: 200 }, (_, caller) => call(caller)));

    const atMs = [...recorded.values()].sort((a, b) => a - b);
    for (let last = window.requests; last < atMs.length; last++) {
      const spanMs = (atMs[last] ?? 0) - (atMs[last - window.requests] ?? 0);
      expect(spanMs).toBeGreaterThanOrEqual(1_000);
    }
    for (const { sentMs } of admitted) {
      const within = admitted.filter(
        (other) => other.sentMs >= sentMs && other.receivedMs < sentMs + 1_000,
      );
      expect(within.length).toBeLessThanOrEqual(window.requests);
    }
    // Fewer than the three full windows would mean that room was left unused.
    expect(admitted.length).toBeGreaterThanOrEqual(3 * window.requests);
    expect(recorded.size).toBe(admitted.length);
  });

  test('a full window is refused from memory until it frees, for the same numbers only', async () => {
    const { limiter } = await startNode(url, freshPrefix());
    await limiter.admit('7', 'overview/', { requests: 1, seconds: 60 });
    await limiter.admit('7', 'overview/', { requests: 1, seconds: 60 });
    const refused = limiter.admit('7', 'overview/', { requests: 1, seconds: 60 });
    expect(refused).not.toBeInstanceOf(Promise);
    expect(refused).toMatchObject({ admitted: false, remaining: 0 });
    const raised = limiter.admit('7', 'overview/', { requests: 2, seconds: 60 });
    expect(await raised).toMatchObject({ admitted: true, remaining: 0 });
  });

  test('a list is kept for the longest window that used it, and no longer', async () => {
    const prefix = freshPrefix();
    const redis = await openRedis(url);
    const { limiter } = await startNode(url, prefix);
    await limiter.admit('7', 'overview/', { requests: 5, seconds: 60 });
    await limiter.admit('7', 'overview/', { requests: 5, seconds: 1 });
    const leftMs = Number(await redis.send('PTTL', `${prefix}:ring:7:overview/`));
    expect(leftMs).toBeGreaterThan(50_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    await limiter.admit('8', 'overview/', { requests: 5, seconds: 1 });
    await sleep(1_100);
    expect(await redis.admissions(prefix, '8')).toEqual([]);
  });

  test('a list holds no more than the limit needs', async () => {
    const prefix = freshPrefix();
    const redis = await openRedis(url);
    const { limiter } = await startNode(url, prefix);
    await limiter.admit('7', 'overview/', { requests: 3, seconds: 60 });
    for (let i = 0; i < 20; i++) {
      await limiter.admit('7', 'overview/', { requests: 3, seconds: 0.01 });
      await sleep(5);
    }
    expect(await redis.admissions(prefix)).toHaveLength(3);
  });

  test('a list gives up what only a window of before needed, once that has passed', async () => {
    const prefix = freshPrefix();
    const redis = await openRedis(url);
    const { limiter } = await startNode(url, prefix);
    const before: Window = { requests: 20, seconds: 0.5 };
    const now: Window = { requests: 2, seconds: 0.05 };
    for (let i = 0; i < 20; i++) await limiter.admit('7', 'overview/', before);
    await sleep(60);
    await limiter.admit('7', 'overview/', now);
    expect(await redis.admissions(prefix)).toHaveLength(20);
    await sleep(600);
    await limiter.admit('7', 'overview/', now);
    expect((await redis.admissions(prefix)).length).toBeLessThanOrEqual(2);
  });

  test('a clock that is set back in Redis neither opens nor disorders a window', async () => {
    const prefix = freshPrefix();
    const redis = await openRedis(url);
    const { limiter } = await startNode(url, prefix);
    const aheadMicros = (Date.now() + 3_600_000) * 1_000;
    const window: Window = { requests: 2, seconds: 60 };
    await redis.put(`${prefix}:ring:7:overview/`, ringWith(aheadMicros, 'before', window));
    expect(await limiter.admit('7', 'overview/', window)).toEqual({
      admitted: true,
      remaining: 0,
      resetInMs: 60_000,
    });
    const admissions = await redis.admissions(prefix);
    expect(admissions.map(({ atMs }) => atMs)).toEqual([aheadMicros / 1_000, aheadMicros / 1_000]);
  });

  test('scripts that someone flushes are sent again', async () => {
    const redis = await openRedis(url);
    const { limiter } = await startNode(url, freshPrefix());
    await redis.send('SCRIPT', 'FLUSH');
    const window: Window = { requests: 50, seconds: 60 };
    const answers = Array.from({ length: 20 }, () => limiter.admit('7', 'overview/', window));
    for (const answer of answers) expect((await answer).admitted).toBe(true);
    expect(await limiter.standing('7', 'overview/', window)).toMatchObject({ remaining: 30 });
    expect(limiter.trouble()).toBeUndefined();
  });
});
