/**
 * Where a verifier keeps the tokens it has seen. Several receivers behind one address need a shared
 * store, such as Redis with `SET token 1 NX EXAT …`; a single process does with the one below.
 */
export interface TokenStore {
  /**
   * Remembers the token, or returns false if it is remembered already. It must be one atomic step.
   * After `expiresAtSeconds` (Unix; Infinity where the verifier accepts any age) it may be forgotten.
   */
  remember(token: string, expiresAtSeconds: number): boolean | Promise<boolean>;
}

export interface MemoryTokenStoreOptions {
  /** Beyond this many the oldest are forgotten, expired or not. Default 100,000, about 15 MB. */
  maxTokens?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/**
 * Only genuine webhooks get this far, so no stranger can fill it: at 15 s of tolerance the default
 * holds more than 3,000 webhooks a second.
 */
export function memoryTokenStore(options: MemoryTokenStoreOptions = {}): TokenStore {
  const { maxTokens = 100_000, now = Date.now } = options;
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    throw new TypeError('maxTokens must be a whole number of at least 1.');
  }
  /** In the order of arrival, which is the order of expiry give or take the tolerance. */
  const expiries = new Map<string, number>();

  return {
    remember(token, expiresAtSeconds) {
      const nowSeconds = now() / 1_000;
      for (const [oldest, expiry] of expiries) {
        if (expiry >= nowSeconds) break;
        expiries.delete(oldest);
      }
      const expiry = expiries.get(token);
      if (expiry !== undefined && expiry >= nowSeconds) return false;
      // Deleted first, so that a token which comes back takes its place at the end.
      expiries.delete(token);
      if (expiries.size >= maxTokens) {
        const [oldest] = expiries.keys();
        if (oldest !== undefined) expiries.delete(oldest);
      }
      expiries.set(token, expiresAtSeconds);
      return true;
    },
  };
}
