/** The largest share of the time that may be spent on reading, however often the value is requested. */
const SHARE = 1 / 20;

/**
 * Caches what `read` returns, for 20 times as long as reading took: after a read of 50 ms, for a second.
 * Requests during a read wait for that read. Errors are not cached.
 */
export function cachedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let validUntilMs = 0;
  return () => {
    const startedMs = performance.now();
    if (last && startedMs < validUntilMs) return last;
    validUntilMs = Number.POSITIVE_INFINITY;
    last = read().then(
      (value) => {
        const endedMs = performance.now();
        validUntilMs = endedMs + (endedMs - startedMs) / SHARE;
        return value;
      },
      (error) => {
        last = undefined;
        throw error;
      },
    );
    return last;
  };
}
