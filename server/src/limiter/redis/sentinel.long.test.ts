/** A primary that Sentinels watch: which server they name, and what becomes of limits when that changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askRedis } from '../../../../kit/ask-redis.ts';
import { startWatchedRedis, type WatchedRedis } from '../../../../kit/redis-sentinel.ts';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { type FakeRedis, openFakeRedis } from '../../../testing/limits-fake-redis.ts';
import {
  admitted,
  freshPrefix,
  losesNothingByPromotion,
  openRedis,
  startNode,
} from '../../../testing/limits-redis.ts';

const WINDOW = { requests: 5, seconds: 60 };

describeWithOwnRedis('a Redis behind Sentinel', () => {
  let watched: WatchedRedis;
  beforeAll(async () => {
    watched = await startWatchedRedis();
  });
  afterAll(() => watched?.end());

  test('is found, also with a database and a user', async () => {
    await askRedis(watched.primary, 'ACL', 'SETUSER', 'limits', 'on', '>secret', '~*', '+@all');
    const prefix = freshPrefix();
    const url = `${watched.url.replace('//', '//limits:secret@')}?database=3`;
    const node = await startNode(url, prefix);
    expect(node.limiter.trouble()).toBeUndefined();
    expect(await admitted(node, 6, WINDOW)).toBe(5);
    const redis = await openRedis(watched.primary.url);
    await redis.send('SELECT', '3');
    expect(await redis.admissions(prefix)).toHaveLength(5);
  });

  test('is not found under another name', async () => {
    const node = await startNode(watched.url.replace('/limits', '/other'), freshPrefix());
    expect(node.limiter.trouble()).toContain('No such master with that name');
  });

  // The last of this file, because the primary is gone afterwards.
  test('its promoted replica is told what it lacks', () =>
    losesNothingByPromotion(watched, freshPrefix()));
});

describe('Sentinels that name different primaries', () => {
  test('the one that knows of the last failover is followed, also later', async () => {
    const primaries = [await openFakeRedis(), await openFakeRedis()] as const;
    const sentinels = [await openFakeRedis(), await openFakeRedis()] as const;
    name(sentinels[0], primaries[0], 3);
    name(sentinels[1], primaries[1], 12);
    const hosts = sentinels.map(({ url }) => url.replace('redis://', '')).join(',');
    const node = await startNode(`redis+sentinel://${hosts}/limits`, freshPrefix());
    expect(await admitted(node, 1, WINDOW)).toBe(1);
    expect(primaries[1].asked.get('ADMIT')).toBe(1);
    name(sentinels[0], primaries[0], 13);
    await node.becomes('troubled');
    expect(node.limiter.trouble()).toContain('the Sentinels name another primary');
    await node.becomes('well');
    expect(await admitted(node, 1, WINDOW)).toBe(1);
    expect(primaries[0].asked.get('ADMIT')).toBe(1);
  });
});

test.each(['', 'port', '65536', '-1', '6379.5'])(
  'a Sentinel that names port %j is none',
  async (port) => {
    const sentinel = await openFakeRedis();
    sentinel.replies.SENTINEL = list('127.0.0.1', port);
    const url = sentinel.url.replace('redis://', 'redis+sentinel://');
    const node = await startNode(`${url}/limits`, freshPrefix());
    expect(node.limiter.trouble()).toContain('it does not speak the protocol of Redis');
  },
);

test('a node of a cluster that names such a port is none', async () => {
  const redis = await openFakeRedis();
  redis.replies.HLEN = '-MOVED 1 127.0.0.1:65536\r\n';
  const url = redis.url.replace('redis://', 'redis+cluster://');
  const node = await startNode(url, freshPrefix());
  expect(node.limiter.trouble()).toContain('it does not speak the protocol of Redis');
});

function name(sentinel: FakeRedis, primary: FakeRedis, epoch: number): void {
  const { hostname, port } = new URL(primary.url);
  sentinel.replies.SENTINEL = ([, command]) =>
    command === 'MASTER'
      ? list('name', 'limits', 'config-epoch', String(epoch))
      : list(hostname, port);
}

function list(...texts: string[]): string {
  return `*${texts.length}\r\n${texts.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`;
}
