import type { TokenStore } from '@bellhop/partner';

/** What is used of a Redis client; `@redis/client` and `redis` fit as they are. */
export interface RedisSet {
  set(
    key: string,
    value: string,
    options: { condition: 'NX'; expiration?: { type: 'EXAT'; value: number } },
  ): Promise<unknown>;
}

/**
 * Tokens in Redis, for several receivers behind one address: `SET … NX` is one atomic step, so of
 * two that get the same webhook at once, one is told that it is new. Redis itself forgets what has
 * expired. When Redis fails, so does `remember`, the handler answers 500, and the webhook comes
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
