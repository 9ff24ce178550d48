/** Attempts to get more calls through than a limit allows, on the whole server. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  describeWithOwnRedis,
  describeWithPostgres,
  describeWithRedis,
  temporaryFolder,
} from '../../../test/support.ts';
import {
  spawnBellhop,
  startBellhop,
  type TestBellhop,
  type TestKey,
} from '../../testing/bellhop.ts';
import { openRedis } from '../../testing/limits-redis.ts';
import { newMasterKey } from '../../testing/settings.ts';
import { call, OVERVIEW_PATH } from '../wire.ts';

const LIMIT = 20;
const DAY = { requests_number: LIMIT, seconds_number: 86_400 };
const SECOND = { requests_number: 5, seconds_number: 1 };

type Limit = typeof DAY;

async function setLimit({ support }: TestBellhop, { keyId }: TestKey, limit: Limit): Promise<void> {
  const path = `/support/v1/sandbox/keys/${keyId}/endpoints`;
  const { status } = await support('PUT', path, { endpoint: OVERVIEW_PATH.slice(1), ...limit });
  expect(status).toBe(200);
}

async function admitted({ addresses }: TestBellhop, key: TestKey, times: number): Promise<number> {
  const statuses = [];
  for (let i = 0; i < times; i++) statuses.push((await call(addresses.sandbox, key)).status);
  for (const status of statuses) expect([200, 429]).toContain(status);
  return statuses.filter((status) => status === 200).length;
}

/** A daily limit is half used, then changed to a limit per second and back. */
async function changeAndChangeBack(
  bellhop: TestBellhop,
  key: TestKey,
  inBetween: () => Promise<TestBellhop> = async () => bellhop,
): Promise<number> {
  await setLimit(bellhop, key, DAY);
  let count = await admitted(bellhop, key, LIMIT / 2);
  await setLimit(bellhop, key, SECOND);
  // Wait until the last calls have left the short window.
  await pause(SECOND.seconds_number * 1_000);
  count += await admitted(bellhop, key, SECOND.requests_number);
  const after = await inBetween();
  await setLimit(after, key, DAY);
  return count + (await admitted(after, key, LIMIT));
}

describe('a limit that is changed and changed back', () => {
  test('counts the same across kill -9', async () => {
    const settings = {
      BELLHOP_DATA_DIR: await temporaryFolder(),
      BELLHOP_ENVIRONMENTS: 'sandbox',
    };
    const bellhop = await spawnBellhop(settings);
    const key = await bellhop.newKey('sandbox');
    const count = await changeAndChangeBack(bellhop, key, async () => {
      await bellhop.kill();
      return spawnBellhop(settings);
    });
    expect(count).toBe(LIMIT);
  });

  describeWithRedis('in Redis', (redisUrl) => {
    test('counts the same', async () => {
      const bellhop = await startBellhop({
        BELLHOP_ENVIRONMENTS: 'sandbox',
        BELLHOP_SANDBOX_REDIS_URL: redisUrl,
      });
      const key = await bellhop.newKey('sandbox');
      expect(await changeAndChangeBack(bellhop, key)).toBe(LIMIT);
    });
  });
});

describeWithOwnRedis('Redis', (startRedis) => {
  describeWithPostgres('that is emptied', (freshDatabase) => {
    test('does not let two nodes admit more than before', async () => {
      const server = await startRedis();
      const settings = {
        BELLHOP_ENVIRONMENTS: 'sandbox',
        BELLHOP_SANDBOX_DATABASE_URL: await freshDatabase(),
        BELLHOP_SANDBOX_REDIS_URL: server.url,
        BELLHOP_MASTER_KEY: newMasterKey(),
      };
      const nodes = [await startBellhop(settings), await startBellhop(settings)] as const;
      const key = await nodes[0].newKey('sandbox');
      await setLimit(nodes[0], key, DAY);
      // The other node learns of it within a second. A refused method does not count.
      const limitThere = async () => {
        const { headers } = await call(nodes[1].addresses.sandbox, { ...key, method: 'DELETE' });
        return headers['x-ratelimit-requestsnumber'];
      };
      await expect.poll(limitThere, { timeout: 10_000 }).toBe(String(LIMIT));
      let count = 0;
      for (const node of nodes) count += await admitted(node, key, LIMIT / 2 - 1);
      await (await openRedis(server.url)).send('FLUSHALL');
      const rest = await Promise.all(nodes.map((node) => admitted(node, key, LIMIT)));
      expect(count + rest.reduce((sum, one) => sum + one)).toBe(LIMIT);
    });
  });

  test('being unreachable does not reset the limits of a killed node', async () => {
    const server = await startRedis();
    const settings = {
      BELLHOP_DATA_DIR: await temporaryFolder(),
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_REDIS_URL: server.url,
    };
    const before = await spawnBellhop(settings);
    const key = await before.newKey('sandbox');
    await setLimit(before, key, DAY);
    await server.stop();
    const count = await admitted(before, key, LIMIT / 2);
    await before.kill();
    const after = await spawnBellhop(settings);
    expect(count + (await admitted(after, key, LIMIT))).toBe(LIMIT);
  });
});
