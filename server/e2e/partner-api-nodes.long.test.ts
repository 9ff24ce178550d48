/** Several nodes on one database: changes take effect on all of them, and limits are shared. */
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLink } from '../../kit/tcp-link.ts';
import { describeWithPostgres, describeWithRedis, startRedis } from '../../test/support.ts';
import { basic, startBellhop, type TestBellhop, type TestKey } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { startPostgresProxy } from '../testing/postgres-proxy.ts';
import { newMasterKey } from '../testing/settings.ts';
import { call, FORWARDED_PATH, OVERVIEW_PATH, type Reply } from './wire.ts';

const OVERVIEW = OVERVIEW_PATH.slice(1);

const keyPath = (key: TestKey) => `/support/v1/sandbox/keys/${key.keyId}`;

/** What is changed, how, and how a reply shows it. */
const changes: [string, (key: TestKey) => [string, string, object?], (r: Reply) => boolean][] = [
  ['a revoked key', (key) => ['DELETE', keyPath(key)], ({ status }) => status === 401],
  [
    'a disabled key',
    (key) => ['PATCH', keyPath(key), { disabled: true }],
    (reply) => reply.status === 403,
  ],
  [
    'a suspended partner',
    (key) => ['PATCH', `/support/v1/sandbox/partners/${key.partnerId}`, { suspended: true }],
    (reply) => reply.status === 403,
  ],
  [
    'an allow-list',
    (key) => ['PATCH', keyPath(key), { allowed_ips: ['192.0.2.1'] }],
    (reply) => reply.status === 403,
  ],
  [
    'a rotation without an overlap',
    (key) => ['POST', `${keyPath(key)}/rotation`, { overlap_seconds: 0 }],
    (reply) => reply.status === 401,
  ],
  [
    'a limit',
    (key) => [
      'PUT',
      `${keyPath(key)}/endpoints`,
      { endpoint: OVERVIEW, is_limited: true, requests_number: 12_345 },
    ],
    (reply) => reply.headers['x-ratelimit-requestsnumber'] === '12345',
  ],
  [
    'a grant taken away',
    (key) => ['DELETE', `${keyPath(key)}/endpoints?endpoint=${FORWARDED_PATH}`],
    (reply) => reply.status === 200 && reply.json.data.length === 42,
  ],
];

describeWithPostgres('two nodes', (_empty, databaseWithTables) => {
  async function startTwo(more: Record<string, string> = {}): Promise<[TestBellhop, TestBellhop]> {
    const settings = {
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
      ...more,
    };
    return [await startBellhop(settings), await startBellhop(settings)];
  }

  describe('a change on one takes effect on the other within a second', () => {
    // The promise is one second; if the machine itself stalls for that long, Bellhop cannot keep it.
    test('each kind of change', { retry: 2 }, async () => {
      const [here, there] = await startTwo();
      for (const [what, changeOf, isInForce] of changes) {
        const key = await unlimitedKey(here, there);
        const [method, path, body] = changeOf(key);
        const { status } = await here.support(method, path, body);
        expect(status, what).toBeLessThan(300);
        const repliedMs = performance.now();
        // On the node that made the change, at once.
        expect(isInForce(await call(here.addresses.sandbox, key)), what).toBe(true);
        await until(() => call(there.addresses.sandbox, key), isInForce);
        expect(performance.now() - repliedMs, what).toBeLessThan(1_000);
      }
    });
  });

  describeWithRedis('with Redis for the limits', (redisUrl) => {
    test('each kind of change reaches a node that is cut off from PostgreSQL', async () => {
      const database = await databaseWithTables();
      const settings = {
        BELLHOP_ENVIRONMENTS: 'sandbox',
        BELLHOP_MASTER_KEY: newMasterKey(),
        BELLHOP_SANDBOX_SERVE_WITHOUT_DATABASE: '1h',
      };
      const postgres = await startPostgresProxy(database);
      // Its own, because limits are divided by the nodes that share it.
      const { url: redisUrl, port } = await startRedis();
      const redis = await openLink({ host: '127.0.0.1', port });
      onTestFinished(() => redis.close());
      const here = await startBellhop({
        ...settings,
        BELLHOP_SANDBOX_DATABASE_URL: database,
        BELLHOP_SANDBOX_REDIS_URL: redisUrl,
      });
      const there = await startBellhop({
        ...settings,
        BELLHOP_SANDBOX_DATABASE_URL: postgres.url,
        BELLHOP_SANDBOX_REDIS_URL: redis.through(redisUrl),
      });
      const keys = await Promise.all(changes.map(() => unlimitedKey(here, there)));
      const limited = await here.newKey('sandbox');
      const used = async (node: TestBellhop) =>
        (await call(node.addresses.sandbox, limited)).headers['x-ratelimit-remaining'];
      expect([await used(there), await used(here)]).toEqual(['99', '98']);

      postgres.swallow();
      await eventually(
        () => readinessOf(there),
        ({ status, troubles }) =>
          status === 'degraded' && /does not answer since 20/.test(`${troubles}`),
      );
      for (const [i, [what, changeOf, isInForce]] of changes.entries()) {
        const key = keys[i] as TestKey;
        expect(isInForce(await call(there.addresses.sandbox, key)), what).toBe(false);
        const [method, path, body] = changeOf(key);
        expect((await here.support(method, path, body)).status, what).toBeLessThan(300);
        // The API key of before the rotation is a wrong one now, which cannot be told from one that is not known here.
        await until(
          () => call(there.addresses.sandbox, key),
          (reply) => isInForce(reply) || reply.status === 503,
        );
      }
      expect([await used(there), await used(here), await used(there)]).toEqual(['97', '96', '95']);

      // Cut off from both, it serves the keys that it knows, within its share of their limits.
      redis.swallow();
      await eventually(
        () => readinessOf(there),
        ({ status, troubles }) =>
          status === 'degraded' && troubles.some((one) => one.includes('Redis is out of reach')),
      );
      // What was read of changes a second ago counts for nothing any more.
      for (let n = 0; n < 15; n++) {
        expect(await call(there.addresses.sandbox, limited)).toMatchObject({ status: 200 });
        await pause(100);
      }
      expect(await readinessOf(there)).toMatchObject({ status: 'degraded' });
      const left = Number(await used(there));
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(95 / 2);
      const strange = { ...limited, authorization: basic('404', 'unknown') };
      const refused = await call(there.addresses.sandbox, strange);
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
      redis.restore();
      await eventually(
        () => readinessOf(there),
        ({ troubles }) => !troubles.some((one) => one.includes('Redis')),
      );
      expect(Number(await used(there))).toBeGreaterThan(left);
      postgres.restore();
      await eventually(
        () => readinessOf(there),
        ({ status }) => status === 'ready',
      );
    });

    test('leave a node that alone has lost Redis its share, until it is back', async () => {
      const { url, port } = await startRedis();
      const link = await openLink({ host: '127.0.0.1', port });
      onTestFinished(() => link.close());
      const database = { BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables() };
      const settings = {
        BELLHOP_ENVIRONMENTS: 'sandbox',
        BELLHOP_MASTER_KEY: newMasterKey(),
        ...database,
      };
      const here = await startBellhop({ ...settings, BELLHOP_SANDBOX_REDIS_URL: url });
      const there = await startBellhop({
        ...settings,
        BELLHOP_SANDBOX_REDIS_URL: link.through(url),
      });
      const key = await here.newKey('sandbox');
      const calls = async (node: TestBellhop, count: number) => {
        let admitted = 0;
        for (let n = 0; n < count; n++) {
          if ((await call(node.addresses.sandbox, key)).status === 200) admitted += 1;
        }
        return admitted;
      };
      const remainingHere = async () => {
        const { body } = await here.support('GET', `${keyPath(key)}/usage`);
        return body.items.at(-1).remaining;
      };
      expect((await calls(here, 20)) + (await calls(there, 20))).toBe(40);
      link.swallow();
      // The half of the window that is not the other one's.
      await eventually(remainingHere, (remaining) => remaining === 50 - 40);
      expect((await calls(here, 100)) + (await calls(there, 100))).toBeLessThanOrEqual(60);
      // A node that starts meanwhile without Redis has no more than its own share either.
      const late = await startBellhop({
        ...settings,
        BELLHOP_SANDBOX_REDIS_URL: link.through(url),
      });
      expect(await calls(late, 100)).toBeLessThanOrEqual(34);
      link.restore();
      for (const node of [there, late]) {
        await eventually(
          () => readinessOf(node),
          ({ status }) => status === 'ready',
        );
      }
      // Nothing is kept from them any more.
      const other = await here.newKey('sandbox');
      await eventually(
        async () => {
          const { body } = await here.support('GET', `${keyPath(other)}/usage`);
          return body.items.at(-1).remaining;
        },
        (remaining) => remaining === 100,
      );
    });

    test('200 callers at once never get more than the limit in any window', async () => {
      const limit = { requests_number: 5, seconds_number: 2 };
      const nodes = await startTwo({ BELLHOP_SANDBOX_REDIS_URL: redisUrl });
      const key = await nodes[0].newKey('sandbox');
      const path = `/support/v1/sandbox/keys/${key.keyId}/endpoints`;
      await nodes[0].support('PUT', path, { endpoint: OVERVIEW, ...limit });
      for (const { addresses } of nodes) {
        await until(
          () => call(addresses.sandbox, { ...key, method: 'DELETE' }),
          (reply) => reply.headers['x-ratelimit-requestsnumber'] === '5',
        );
      }

      const agent = new Agent({ keepAlive: true });
      onTestFinished(() => agent.destroy());
      const admitted: { sentMs: number; receivedMs: number; node: number }[] = [];
      let refused = 0;
      // Three windows: the first full one and two more.
      const wanted = 3 * limit.requests_number;
      const areEnough = () => admitted.length >= wanted && nodesOf(admitted).size === 2;
      const caller = async (_: unknown, i: number) => {
        const node = i % 2;
        const address = (nodes[node] as TestBellhop).addresses.sandbox;
        while (!areEnough()) {
          const sentMs = performance.now();
          const { status } = await call(address, { ...key, agent });
          if (status === 200) admitted.push({ sentMs, receivedMs: performance.now(), node });
          else refused++;
          expect([200, 429]).toContain(status);
          // Each at its own pace. Faster ones would leave the nodes no time to poll on a slow or busy machine.
          await pause(400 + 6 * i);
        }
      };
      await Promise.all(Array.from({ length: 200 }, caller));

      expect(refused).toBeGreaterThan(100);
      expect(nodesOf(admitted).size).toBe(2);
      for (const { sentMs } of admitted) {
        const surelyInside = admitted.filter(
          (other) =>
            other.sentMs >= sentMs && other.receivedMs < sentMs + limit.seconds_number * 1_000,
        );
        expect(surelyInside.length).toBeLessThanOrEqual(limit.requests_number);
      }
    });

    test('sign-ins that fail on one count on the other', async () => {
      // Its own, because other tests fail from the same address.
      const nodes = await startTwo({ BELLHOP_SANDBOX_REDIS_URL: (await startRedis()).url });
      const statuses = [];
      for (let n = 0; n < 24; n++) {
        const { addresses } = nodes[n % 2] as TestBellhop;
        statuses.push((await call(addresses.sandbox, { authorization: basic('1', '2') })).status);
      }
      expect(statuses).toEqual([...Array(20).fill(401), ...Array(4).fill(429)]);
    });

    test('calls admitted by one node count on the other', async () => {
      const [here, there] = await startTwo({ BELLHOP_SANDBOX_REDIS_URL: redisUrl });
      const key = await here.newKey('sandbox');
      const remaining: unknown[] = [];
      for (const { addresses } of [here, there, there, here]) {
        const { headers } = await call(addresses.sandbox, key);
        remaining.push(headers['x-ratelimit-remaining']);
      }
      expect(remaining).toEqual(['99', '98', '97', '96']);
      const { body } = await there.support('GET', `/support/v1/sandbox/keys/${key.keyId}/usage`);
      expect(body.items.at(-1)).toMatchObject({ endpoint: OVERVIEW, used: 4, remaining: 96 });
    });
  });
});

async function readinessOf({ addresses }: TestBellhop) {
  const reply = await fetch(`${addresses.backOffice}/health/ready`);
  return (await reply.json()) as { status: string; troubles: string[] };
}

/** Waits until both nodes have cached a sign-in and the grants. */
async function unlimitedKey(here: TestBellhop, there: TestBellhop): Promise<TestKey> {
  const key = await here.newKey('sandbox');
  await here.support('PUT', `${keyPath(key)}/endpoints`, { endpoint: OVERVIEW, is_limited: false });
  await until(
    () => call(there.addresses.sandbox, key),
    (reply) => !reply.headers.ratelimit,
  );
  return key;
}

async function until(send: () => Promise<Reply>, isInForce: (reply: Reply) => boolean) {
  while (!isInForce(await send())) await pause(5);
}

function nodesOf(admitted: readonly { node: number }[]): Set<number> {
  return new Set(admitted.map(({ node }) => node));
}
