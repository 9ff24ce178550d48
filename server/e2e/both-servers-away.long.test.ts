/** PostgreSQL and Redis end at the same moment, under load: callers are served or told to come back, never told 500. */
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithOwnPostgres, startPostgres, startRedis } from '../../test/support.ts';
import { startBellhop, type TestKey } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { newEvent, newSender, postText } from './webhook-bellhop.ts';
import { call, OVERVIEW_PATH } from './wire.ts';

const ROUNDS = 5;
const CALLERS = 8;
/** A change is in force on every node after a second. */
const KNOWN_MS = 1_000;

describeWithOwnPostgres('PostgreSQL and Redis that end together', () => {
  test('are no reason for a 500, whatever is asked at that moment', async () => {
    const [postgres, redis] = [await startPostgres(), await startRedis()];
    const node = await startBellhop({
      BELLHOP_ENVIRONMENTS: 'production',
      BELLHOP_MASTER_KEY: newMasterKey(),
      BELLHOP_PRODUCTION_DATABASE_URL: postgres.url,
      BELLHOP_PRODUCTION_REDIS_URL: redis.url,
      ...LOOPBACK_RECEIVERS,
    });
    const { production } = node.addresses;
    const receiver = await startReceiver(status(200));
    const sender = await newSender(node, receiver.url);
    const known = await node.newKey('production');
    // A window that is journaled, and wide enough for all calls.
    await node.support('POST', `/support/v1/production/partners/${known.partnerId}/certification`, {
      reference: 'test',
    });
    const wide = {
      endpoint: OVERVIEW_PATH.slice(1),
      requests_number: 1_000_000,
      approval_reference: 'test',
    };
    expect(
      (await node.support('PUT', `/support/v1/production/keys/${known.keyId}/endpoints`, wide))
        .status,
    ).toBe(200);
    expect((await call(production, known)).status).toBe(200);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const unused: TestKey[] = [];
    for (let n = 0; n < ROUNDS * CALLERS; n++) unused.push(await node.newKey('production'));
    const released: TestKey[] = [];
    const asked = {
      'a known key': () => call(production, { ...known, agent }),
      'a key that the node does not know': () =>
        call(production, { ...(released.shift() ?? known), agent }),
      'an event': () => postText(node, JSON.stringify({ events: [newEvent(sender)] })),
      'a page of support': () => node.support('GET', '/support/v1/production/partners'),
    };
    const counts = new Map<string, number>();
    let isOver = false;
    const callers = Object.entries(asked).flatMap(([what, ask]) =>
      Array.from({ length: CALLERS }, async () => {
        while (!isOver) {
          const reply = await ask();
          const seen = `${what}: ${reply.status}`;
          counts.set(seen, (counts.get(seen) ?? 0) + 1);
        }
      }),
    );
    // The last change of the key has reached the node on every way.
    await pause(KNOWN_MS);
    for (let round = 0; round < ROUNDS; round++) {
      released.push(...unused.splice(0, CALLERS));
      await Promise.all([postgres.kill(), redis.kill()]);
      await Promise.all([postgres.restart(), redis.restart()]);
      await eventually(
        () => fetch(`${node.addresses.backOffice}/health/ready`).then((reply) => reply.json()),
        (reply) => (reply as { status: string }).status === 'ready',
      );
    }
    isOver = true;
    await Promise.all(callers);
    const failed = [...counts].filter(([seen]) => / 5\d\d$/.test(seen) && !seen.endsWith(' 503'));
    expect(failed).toEqual([]);
    // What the node knew before goes on working.
    expect([...counts.keys()].filter((seen) => seen.startsWith('a known key'))).toEqual([
      'a known key: 200',
    ]);
  });
});
