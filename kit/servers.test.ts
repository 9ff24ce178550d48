import { existsSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  describeWithOwnPostgres,
  describeWithOwnRedis,
  describeWithPostgres,
  describeWithRedis,
} from '../test/support.ts';
import { askRedis } from './ask-redis.ts';
import { query } from './postgres.ts';

test('the settings that name servers do not reach the programs that tests start', () => {
  expect(Object.keys(process.env).filter((name) => name.startsWith('BELLHOP_TEST_'))).toEqual([]);
});

describeWithPostgres('the shared PostgreSQL', (freshDatabase) => {
  test('gives every caller its own database', async () => {
    const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
    expect(one).not.toBe(other);
    await query(one, 'create table only_here (id integer)');
    expect(await query(one, "select to_regclass('only_here') as found")).toEqual([
      { found: 'only_here' },
    ]);
    expect(await query(other, "select to_regclass('only_here') as found")).toEqual([
      { found: null },
    ]);
  });
});

describeWithRedis('the shared Redis', (redisUrl) => {
  test('answers', async () => {
    expect(await ping(redisUrl)).toBe('PONG');
  });
});

describeWithOwnPostgres('a PostgreSQL of our own', (startPostgres) => {
  test('keeps committed data across a crash and a restart, and is unreachable in between', async () => {
    const postgres = await startPostgres();
    expect(await query(postgres.url, 'show fsync')).toEqual([{ fsync: 'on' }]);
    expect(isRoot(postgres.pid)).toBe(false);
    await query(postgres.url, 'create table kept (id integer)');
    await query(postgres.url, 'insert into kept values (1)');

    await postgres.kill();
    expect(postgres.pid).toBeNull();
    await expect(query(postgres.url, 'select 1')).rejects.toThrow('ECONNREFUSED');

    await postgres.restart();
    expect(await query(postgres.url, 'select id from kept')).toEqual([{ id: 1 }]);

    await postgres.stop();
    await expect(query(postgres.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });
});

describeWithOwnRedis('a Redis of our own', (startRedis) => {
  test('can be stopped, killed and restarted on the same port', async () => {
    const redis = await startRedis();
    expect(isRoot(redis.pid)).toBe(false);
    for (const end of [redis.stop, redis.kill]) {
      expect(await ping(redis.url)).toBe('PONG');
      await end();
      await expect(ping(redis.url)).rejects.toThrow('ECONNREFUSED');
      await redis.restart();
    }
    expect(await ping(redis.url)).toBe('PONG');
  });

  test('two servers are independent', async () => {
    const [one, other] = await Promise.all([startRedis(), startRedis()]);
    expect(one.port).not.toBe(other.port);
    await one.end();
    expect(await ping(other.url)).toBe('PONG');
  });
});

async function ping(url: string): Promise<unknown> {
  return askRedis({ url }, 'PING');
}

function isRoot(pid: number | null): boolean {
  // Only Linux has /proc, and elsewhere nobody runs the tests as root.
  return existsSync('/proc') && statSync(`/proc/${pid}`).uid === 0;
}
