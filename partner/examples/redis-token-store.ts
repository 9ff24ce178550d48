import type { TokenStore } from '@bellhop/partner';

/** The part of a Redis client that is used here; `@redis/client` and `redis` have it. */
export interface RedisSet {
  set(
    key: string,
    value: string,
    options: { condition: 'NX'; expiration?: { type: 'EXAT'; value: number } },
  ): Promise<unknown>;
}

/**
 * Tokens in Redis, for several receivers behind one address. `SET … NX` is one atomic step: if two
 * receivers get the same webhook at once, only one of them learns that it is new. Redis drops expired
 * tokens itself. If Redis fails, `remember` fails, the handler answers 500, and the webhook is sent
 * again.
 */
export function redisTokenStore(redis: RedisSet, prefix = 'webhook-token:'): TokenStore {
  return {
    async remember(token, expiresAtSeconds) {
      const expires = Number.isFinite(expiresAtSeconds);
      const answer = await redis.set(prefix + token, '1', {
        condition: 'NX',
        ...(expires && { expiration: { type: 'EXAT', value: Math.ceil(expiresAtSeconds) } }),
      });
      return answer !== null;
    },
  };
}
