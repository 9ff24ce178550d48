import { randomUUID } from 'node:crypto';
import { createTokenMaker, createVerifier, signWebhook } from '@bellhop/partner';
import { createClient } from '@redis/client';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis } from '../../test/support.ts';
import { redisTokenStore } from './redis-token-store.ts';

const apiKey = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
const newToken = createTokenMaker();

describeWithRedis('tokens in Redis', (redisUrl) => {
  async function connect() {
    const redis = createClient({ url: redisUrl });
    redis.on('error', () => {});
    await redis.connect();
    onTestFinished(() => redis.destroy());
    return redis;
  }

  async function webhook() {
    return signWebhook({
      webhookId: 'evt_1',
      event: { type: 'created', partnerOrderId: 'A-1' },
      form: 'data',
      timestamp: Math.floor(Date.now() / 1_000),
      token: newToken(),
      bodyKey: apiKey,
      headerKeys: [apiKey],
    });
  }

  test('only one of several receivers accepts the same webhook at once', async () => {
    const prefix = `${randomUUID()}:`;
    const verifiers = await Promise.all(
      Array.from({ length: 5 }, async () =>
        createVerifier({ apiKey, tokenStore: redisTokenStore(await connect(), prefix) }),
      ),
    );
    const { body, headers } = await webhook();
    const results = await Promise.all(verifiers.map(({ verify }) => verify(body, headers)));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect(results.filter((result) => !result.ok && result.reason === 'replayed')).toHaveLength(4);
  });

  test('a token is kept until it expires, or forever if age is not checked', async () => {
    const redis = await connect();
    const prefix = `${randomUUID()}:`;
    const store = redisTokenStore(redis, prefix);
    const expiresAtSeconds = Math.floor(Date.now() / 1_000) + 60;
    expect(await store.remember('short', expiresAtSeconds)).toBe(true);
    expect(await redis.expireTime(`${prefix}short`)).toBe(expiresAtSeconds);
    expect(await store.remember('long', Number.POSITIVE_INFINITY)).toBe(true);
    expect(await redis.expireTime(`${prefix}long`)).toBe(-1);
    expect(await store.remember('long', Number.POSITIVE_INFINITY)).toBe(false);
    await redis.del(`${prefix}long`);
  });

  test('without Redis, no webhook is accepted as new', async () => {
    const redis = await connect();
    const store = redisTokenStore(redis);
    redis.destroy();
    await expect(store.remember(newToken(), 2_000_000_000)).rejects.toThrow();
  });
});
