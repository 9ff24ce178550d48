import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openLink } from '../../../../kit/tcp-link.ts';
import { describeWithOwnRedis } from '../../../../test/support.ts';
import { eventually } from '../../../testing/eventually.ts';
import { systemClock } from '../../base/clock.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Vault } from '../../base/sealing/vault.ts';
import type { StoredKey } from '../../gateway/keys.ts';
import { RedisLink } from '../../limiter/redis/link.ts';
import { type ChangeEntry, openChangesOverRedis } from './changes-over-redis.ts';

describeWithOwnRedis('changes of keys over Redis', (startRedis) => {
  const log = createLogger('silent', () => {});
  const masterKey = randomBytes(32);

  async function open(url: string, lately: readonly string[] = [], clock = systemClock) {
    const heard: ChangeEntry[] = [];
    const changes = await openChangesOverRedis({
      url,
      environment: 'sandbox',
      vault: new Vault(masterKey, 'sandbox'),
      clock,
      log,
      snapshots: async (ids) => ({
        readAtMs: 1,
        keys: ids.map((keyId) => ({ keyId }) as StoredKey),
        grants: {},
      }),
      changedSince: async () => lately,
      onEntry: (entry) => heard.push(entry),
    });
    onTestFinished(() => changes.close());
    const hears = (ids: readonly string[] | undefined) =>
      eventually(
        async () => heard,
        (entries) => entries.some((entry) => `${entry.ids}` === `${ids}`),
      );
    return { changes, heard, hears };
  }

  test('reach every node, with what the keys are like now', async () => {
    const { url } = await startRedis();
    const [one, other] = [await open(url), await open(url)];
    await one.changes.publish(['1', '2']);
    await other.hears(['1', '2']);
    expect(other.heard[0]?.snapshots?.keys).toEqual([{ keyId: '1' }, { keyId: '2' }]);
    // Not what was before it came.
    const late = await open(url);
    await one.changes.publish(['3']);
    await late.hears(['3']);
    expect(late.heard).toHaveLength(1);
  });

  test('of very many keys at once, only the fact is told', async () => {
    const { url } = await startRedis();
    const { changes, hears } = await open(url);
    await changes.publish(Array.from({ length: 1_001 }, (_, n) => `${n}`));
    await hears(undefined);
  });

  test('cannot be made up by someone who only has Redis', async () => {
    const { url } = await startRedis();
    const { changes, heard, hears } = await open(url);
    const link = new RedisLink(url, '', systemClock, { prepare: async () => {}, lost: () => {} });
    await link.connect();
    onTestFinished(() => link.close());
    const foreign = new Vault(randomBytes(32), 'sandbox').seal('key changes', '{"ids":["9"]}');
    for (const entry of ['{"ids":["9"]}', foreign]) {
      await link.send(['XADD', 'bellhop:{sandbox}:key-changes', '*', 'entry', entry]);
    }
    await changes.publish(['1']);
    await hears(['1']);
    expect(heard).toHaveLength(1);
  });

  test('that Redis has lost are told again, and only a node that was away for longer has missed some', async () => {
    const redis = await startRedis();
    let aheadMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
    const { changes, heard, hears } = await open(redis.url, ['lately'], clock);
    await changes.publish(['1']);
    await hears(['1']);
    heard.length = 0;
    await redis.restart();
    await hears(['lately']);
    expect(changes.mayGoOn()).toBe(true);
    expect(heard.every(({ ids }) => ids !== undefined)).toBe(true);
    await redis.kill();
    aheadMs += 61_000;
    await redis.restart();
    await hears(undefined);
  });

  test('of which more came than Redis keeps, while a node was away, count as missed; fewer are read', async () => {
    const redis = await startRedis();
    const proxy = await openLink({ host: '127.0.0.1', port: redis.port });
    onTestFinished(() => proxy.close());
    const [one, other] = [await open(redis.url), await open(proxy.through(redis.url))];
    await one.changes.publish(['1']);
    await other.hears(['1']);
    for (const [count, first] of [
      [3, 'few 0'],
      [4_200, undefined],
    ] as const) {
      proxy.swallow();
      await expect.poll(() => other.changes.becomesCurrent(), { timeout: 10_000 }).toBe(false);
      // Whether or not it hears anything, calls may go on.
      expect(other.changes.mayGoOn()).toBe(true);
      for (let n = 0; n < count; n++) await one.changes.publish([`few ${n}`]);
      proxy.restore();
      await other.hears(first && [first]);
    }
  });

  test('are read before a call is refused because this process was stalled', async () => {
    const redis = await startRedis();
    const { changes } = await open(redis.url);
    stall();
    expect(changes.mayGoOn()).toBe(false);
    expect(await Promise.all([changes.becomesCurrent(), changes.becomesCurrent()])).toEqual([
      true,
      true,
    ]);
    await redis.stop();
    stall();
    expect(await changes.becomesCurrent()).toBe(false);
  });
});

/** For longer than what was read is trusted. */
function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}
