/**
 * PostgreSQL stops answering without closing anything: a stopped process, a black-holed network.
 * Every waiting caller gets a quick answer, and service resumes by itself when PostgreSQL is back.
 */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../../test/support.ts';
import { loadServicesThread } from '../../src/main/threads/start-services-thread.ts';
import {
  basic,
  type SupportReply,
  spawnBellhop,
  startBellhop,
  type TestBellhop,
  type TestKey,
} from '../../testing/bellhop.ts';
import { eventually } from '../../testing/eventually.ts';
import { type PostgresProxy, startPostgresProxy } from '../../testing/postgres-proxy.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../../testing/settings.ts';
import { startReceiver } from '../../testing/webhook-receiver.ts';
import { FORWARDED_PATH, OVERVIEW_PATH } from '../wire.ts';

/** Far above a second, so that a busy machine does not matter; far below the 35 s it once took. */
const SOON_MS = 8_000;
const LONGEST_STOP_MS = 15_000;
/** A node's two threads: see docs/limits.md. */
const MOST_CONNECTIONS = 10 + 4 + 1 + (10 + 1 + 1);

describeWithPostgres('a PostgreSQL that does not answer', (freshDatabase) => {
  function settingsThrough(proxy: PostgresProxy): Record<string, string> {
    return {
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_DATABASE_URL: proxy.url,
      BELLHOP_SANDBOX_SERVE_WITHOUT_DATABASE: '0s',
      ...LOOPBACK_RECEIVERS,
      BELLHOP_MASTER_KEY: newMasterKey(),
    };
  }

  async function statusOf(
    { addresses }: TestBellhop,
    authorization: string,
    path = OVERVIEW_PATH,
  ): Promise<number> {
    const reply = await fetch(addresses.sandbox + path, {
      headers: { authorization },
      signal: AbortSignal.timeout(SOON_MS),
    });
    const { error } = (await reply.json()) as { error: string | { code: string } | null };
    if (reply.status === 503) {
      expect(JSON.stringify(error)).toContain('unknown');
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    return reply.status;
  }

  function soon(reply: Promise<SupportReply>): Promise<SupportReply> {
    return Promise.race([
      reply,
      new Promise<never>((_resolve, reject) => {
        setTimeout(() => reject(new Error('no answer')), SOON_MS).unref();
      }),
    ]);
  }

  async function expectFaults(bellhop: TestBellhop, keys: readonly TestKey[]): Promise<void> {
    const known = keys.map(({ authorization }) => authorization);
    // Some cached keys were checked less than 0.9 s ago, so they are still trusted for a moment.
    await eventually(
      () => Promise.all(known.map((authorization) => statusOf(bellhop, authorization))),
      (statuses) => statuses.every((status) => status === 503),
    );
    const many = Array.from({ length: 300 }, (_, n) => basic('1', `guess ${n % 10}`));
    const statuses = await Promise.all(
      [...known, ...many].map((authorization) => statusOf(bellhop, authorization)),
    );
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(await soon(bellhop.support('GET', '/support/v1/sandbox/keys'))).toMatchObject({
      status: 503,
      body: { code: 'database_unavailable' },
    });
  }

  async function expectRecovery(
    bellhop: TestBellhop,
    proxy: PostgresProxy,
    key: TestKey,
  ): Promise<void> {
    const statuses = await eventually(
      async () => [
        await statusOf(bellhop, key.authorization),
        // Errors on our side do not count as failed sign-ins.
        await statusOf(bellhop, basic('1', '2')),
        (await soon(bellhop.support('GET', '/support/v1/sandbox/keys'))).status,
      ],
      (found) => !found.includes(503),
    );
    expect(statuses).toEqual([200, 401, 200]);
    await eventually(
      async () => proxy.connections,
      (connections) => connections <= MOST_CONNECTIONS,
    );
  }

  test('recovers after a freeze, and after a black hole on new connections only', async () => {
    const proxy = await startPostgresProxy(await freshDatabase());
    const bellhop = await startBellhop(settingsThrough(proxy), loadServicesThread);
    const keys = [await bellhop.newKey('sandbox'), await bellhop.newKey('sandbox')] as const;
    const [key] = keys;
    const receiver = await startReceiver();
    const midoffice = await bellhop.support('POST', '/support/v1/sandbox/midoffices', {
      name: 'Test midoffice',
      url: receiver.url,
      signing_key_id: key.keyId,
    });
    const send = (event_id: string) =>
      soon(
        bellhop.support('POST', '/orders/v1/sandbox/events', {
          event_id,
          type: 'created',
          partner_id: key.partnerId,
          partner_order_id: event_id,
          midoffice_id: midoffice.body.id,
        }),
      );
    expect(await statusOf(bellhop, key.authorization)).toBe(200);

    proxy.freeze();
    await expectFaults(bellhop, keys);
    proxy.thaw();
    await expectRecovery(bellhop, proxy, key);
    expect((await send('before')).status).toBe(202);
    await receiver.came(1);

    proxy.swallow();
    await expectFaults(bellhop, keys);
    expect((await send('meanwhile')).status).toBe(503);
    proxy.restore();
    await expectRecovery(bellhop, proxy, key);
    expect((await send('after')).status).toBe(202);
    await receiver.came(2);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['before', 'after']);
  });

  test('does not stop calls of keys that signed in before, within their limits', async () => {
    const proxy = await startPostgresProxy(await freshDatabase());
    const settings = {
      ...settingsThrough(proxy),
      BELLHOP_SANDBOX_SERVE_WITHOUT_DATABASE: '1h',
    };
    const before = await startBellhop(settings);
    const key = await before.newKey('sandbox');
    const stranger = await before.newKey('sandbox');
    const limit = { requests_number: 5, seconds_number: 86_400 };
    const endpoint = OVERVIEW_PATH.slice(1);
    const path = `/support/v1/sandbox/keys/${key.keyId}/endpoints`;
    await before.support('PUT', path, { endpoint, ...limit });
    await before.stop();
    const bellhop = await spawnBellhop(settings);
    expect(await statusOf(bellhop, key.authorization)).toBe(200);

    proxy.freeze();
    // Without a gap: before the silence is noticed and after it.
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push(await statusOf(bellhop, key.authorization));
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    await eventually(
      () => statusOf(bellhop, stranger.authorization),
      (status) => status === 503,
    );
    // Nobody learns in this way whether a key exists.
    expect(await statusOf(bellhop, basic(key.keyId, 'a guess'))).toBe(503);
    expect(await statusOf(bellhop, basic('1', 'a guess'))).toBe(503);
    expect(await statusOf(bellhop, key.authorization)).toBe(429);

    proxy.thaw();
    await eventually(
      () => statusOf(bellhop, stranger.authorization),
      (status) => status === 200,
    );
    // What was let in without the database is written there: the next process knows it.
    await eventually(
      async () => (await fetch(`${bellhop.addresses.backOffice}/health/ready`)).json(),
      (readiness) => (readiness as { status: string }).status === 'ready',
    );
    await bellhop.kill();
    const next = await startBellhop(settings);
    expect(await statusOf(next, key.authorization)).toBe(429);
  });

  test('ends even calls of known keys after the time that is allowed', async () => {
    const proxy = await startPostgresProxy(await freshDatabase());
    const bellhop = await startBellhop({
      ...settingsThrough(proxy),
      BELLHOP_SANDBOX_SERVE_WITHOUT_DATABASE: '5s',
    });
    const key = await bellhop.newKey('sandbox');
    expect(await statusOf(bellhop, key.authorization)).toBe(200);
    proxy.freeze();
    expect(await statusOf(bellhop, key.authorization)).toBe(200);
    await eventually(
      () => statusOf(bellhop, key.authorization),
      (status) => status === 503,
    );
    proxy.thaw();
    await eventually(
      () => statusOf(bellhop, key.authorization),
      (status) => status === 200,
    );
  });

  test('does not prevent a stop', async () => {
    const proxy = await startPostgresProxy(await freshDatabase());
    const bellhop = await spawnBellhop(settingsThrough(proxy));
    const key = await bellhop.newKey('sandbox');
    // Counted in a short window, which is saved only by an orderly stop.
    const path = FORWARDED_PATH;
    expect(await statusOf(bellhop, key.authorization, path)).toBe(501);
    proxy.freeze();
    const report = bellhop.support('GET', '/support/v1/sandbox/keys');
    report.catch(() => {});
    let errorText = '';
    bellhop.child.stderr?.on('data', (chunk) => {
      errorText += chunk;
    });
    const exit = once(bellhop.child, 'exit', { signal: AbortSignal.timeout(LONGEST_STOP_MS) });
    bellhop.child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(errorText).not.toContain('did not finish stopping');
  });

  test('prevents a start, with one sentence as the reason', async () => {
    const proxy = await startPostgresProxy(await freshDatabase());
    proxy.freeze();
    await expect(startBellhop(settingsThrough(proxy))).rejects.toThrow(
      'BELLHOP_SANDBOX_DATABASE_URL: the database cannot be opened (PostgreSQL does not answer).',
    );
  });
});
