/** Answers that no Redis should give: a node goes on by itself, says so, and nobody waits for long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Asked, NOTHING, OK, openFakeRedis } from '../../../testing/limits-fake-redis.ts';
import { admitted, freshPrefix, startNode } from '../../../testing/limits-redis.ts';

const WINDOW = { requests: 5, seconds: 60 };
const NOT_REDIS = 'it does not speak the protocol of Redis';
const FORGOTTEN = '*1\r\n:-1\r\n';

describe('a server that answers with something else', () => {
  test.each<[Asked, string]>([
    ['HMGET', NOTHING],
    ['HMGET', ':1\r\n'],
    ['JOIN', ':1\r\n'],
    ['BEAT', OK],
  ])('is not shared with: %s, %j', async (asked, reply) => {
    const redis = await openFakeRedis();
    redis.replies[asked] = reply;
    const node = await startNode(redis.url, freshPrefix());
    await node.becomes('troubled');
    expect(node.limiter.trouble()).toContain(NOT_REDIS);
    expect(await admitted(node, 6, WINDOW)).toBe(5);
  });

  test.each(['*0\r\n', OK, '*4\r\n$1\r\ng\r\n:1\r\n$4\r\nmany\r\n:0\r\n'])(
    'to a check is lost: %j',
    async (reply) => {
      const redis = await openFakeRedis();
      const node = await startNode(redis.url, freshPrefix());
      await node.becomes('well');
      redis.replies.ADMIT = reply;
      expect(await admitted(node, 1, WINDOW)).toBe(1);
      expect(node.limiter.trouble()).toContain(NOT_REDIS);
    },
  );
});

test('nonsense about the nodes is noticed later too', async () => {
  const redis = await openFakeRedis();
  const node = await startNode(redis.url, freshPrefix());
  redis.replies.BEAT = OK;
  await node.becomes('troubled');
  expect(node.limiter.trouble()).toContain(NOT_REDIS);
});

test('a password is not repeated, even if Redis does', async () => {
  const redis = await openFakeRedis();
  redis.replies.AUTH = ([, ...args]) =>
    `-ERR unknown command 'AUTH', with args beginning with: '${args.join("' '")}' \r\n`;
  const url = redis.url.replace('//', '//someone:hunter2@');
  const node = await startNode(url, freshPrefix());
  await node.becomes('troubled');
  expect(node.limiter.trouble()).toContain('it refuses the user or the password: ERR');
  expect([node.limiter.trouble(), ...node.said].join()).not.toMatch(/someone|hunter2/);
});

test('a Redis that never lets the node join is given up', async () => {
  const redis = await openFakeRedis();
  redis.replies.JOIN = NOTHING;
  const node = await startNode(redis.url, freshPrefix());
  expect(node.limiter.trouble()).toContain('it does not let this node join the others');
});

test('a node that takes long to merge everything is not given up', async () => {
  const redis = await openFakeRedis();
  const node = await startNode(redis.url, freshPrefix());
  expect(await admitted(node, 1, WINDOW)).toBe(1);
  const joins = redis.asked.get('JOIN') ?? 0;
  redis.replies.MERGE = () => sleep(3_500, '$1\r\ng\r\n');
  // At first it waits for other nodes, as Redis does.
  redis.replies.JOIN = () => ((redis.asked.get('JOIN') ?? 0) > joins + 3 ? '$1\r\ne\r\n' : NOTHING);
  redis.replies.BEAT = NOTHING;
  await expect.poll(() => redis.asked.get('MERGE') ?? 0).toBe(1);
  redis.replies.BEAT = '*0\r\n';
  await expect.poll(() => redis.asked.get('JOIN') ?? 0).toBeGreaterThan(joins + 3);
  expect(node.said.filter((line) => line.includes('out of reach'))).toEqual([]);
});

test('a call waits for 2 s at most while a large window is merged again', async () => {
  const redis = await openFakeRedis();
  const node = await startNode(redis.url, freshPrefix());
  const window = { requests: 100_000, seconds: 3_600 };
  for (let round = 0; round < 60; round++) {
    const calls = Array.from({ length: 1_000 }, () => node.limiter.admit('7', 'overview/', window));
    await Promise.all(calls);
  }
  redis.replies.ADMIT = FORGOTTEN;
  redis.replies.MERGE = () => sleep(200, '$1\r\ng\r\n');
  const mergesBefore = redis.asked.get('MERGE') ?? 0;
  expect(await admitted(node, 1, window)).toBe(1);
  // Thirty parts take 6 s.
  expect((redis.asked.get('MERGE') ?? 0) - mergesBefore).toBeLessThan(20);
  // On a busy machine, beats may have been late for a moment.
  await node.becomes('well');
});

test('a node that fails to merge something goes on saying that it is there', async () => {
  const redis = await openFakeRedis();
  const node = await startNode(redis.url, freshPrefix());
  expect(await admitted(node, 1, WINDOW)).toBe(1);
  // Redis has fenced the node off, and loses the window again each time that it is merged.
  redis.replies.MERGE = ':-1\r\n';
  redis.replies.BEAT = NOTHING;
  const merges = () => redis.asked.get('MERGE') ?? 0;
  await expect.poll(merges).toBeGreaterThanOrEqual(3);
  const beats = redis.asked.get('BEAT') ?? 0;
  redis.replies.MERGE = '$1\r\ng\r\n';
  redis.replies.BEAT = '*0\r\n';
  await expect.poll(() => redis.asked.get('BEAT') ?? 0).toBeGreaterThan(beats + 2);
  await node.becomes('well');
});
