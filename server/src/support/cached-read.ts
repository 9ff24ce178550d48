/** How much of the time a reading may take at most, whoever asks for it how often. */
const SHARE = 1 / 20;

/**
 * The last reading again until it is due: one that took 50 ms is good for a second. Those who ask
 * while it is being taken wait for the same one.
 */
export function seldom<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let goodUntilMs = 0;
  return () => {
    const startedMs = performance.now();
    if (last && startedMs < goodUntilMs) return last;
    goodUntilMs = Number.POSITIVE_INFINITY;
    const taken = read().then(
      (value) => {
        const endedMs = performance.now();
        goodUntilMs = endedMs + (endedMs - startedMs) / SHARE;
        return value;
      },
      (error) => {
        last = undefined;
        throw error;
      },
    );
    last = taken;
    return taken;
  };
}
