/**
 * Where a verifier keeps the tokens it has seen. Several receivers behind one address need a shared store,
 * such as Redis with `SET token 1 NX EXAT …`. A single process can use the one below.
 */
export interface TokenStore {
  /**
   * Stores the token, or returns false if it is already stored. This must be one atomic step. The store may
   * drop the token after `expiresAtSeconds` (Unix time; Infinity if the verifier accepts any age).
   */
  remember(token: string, expiresAtSeconds: number): boolean | Promise<boolean>;
}

export interface MemoryTokenStoreOptions {
  /** Above this many, the oldest are dropped, expired or not. Default 100,000, about 15 MB. */
  maxTokens?: number;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/**
 * Only genuine webhooks get this far, so no stranger can fill it. With a tolerance of 15 s, the default is
 * enough for more than 3,000 webhooks a second.
 */
export function memoryTokenStore(options: MemoryTokenStoreOptions = {}): TokenStore {
  const { maxTokens = 100_000, now = Date.now } = options;
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    throw new TypeError('maxTokens must be a whole number of at least 1.');
  }
  /** In the order of arrival, which is roughly the order of expiry. */
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
      // Deleted first, so that a token that comes back moves to the end.
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
