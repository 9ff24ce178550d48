/** Calls at a steady pace, whatever the answers take, and how long those took. */
export interface Probe {
  /** Resolves to the times in words, once every call is answered. Rejects if one failed. */
  stop(): Promise<string>;
}

export function probe(everyMs: number, call: (n: number) => Promise<void>): Probe {
  const tookMs: number[] = [];
  const running = new Set<Promise<void>>();
  let failure: unknown;
  let calls = 0;
  const pace = setInterval(() => {
    const startedMs = performance.now();
    const one = call(calls++)
      .then(
        () => void tookMs.push(performance.now() - startedMs),
        (error) => {
          failure ??= error;
        },
      )
      .finally(() => running.delete(one));
    running.add(one);
  }, everyMs);
  return {
    async stop() {
      clearInterval(pace);
      await Promise.all(running);
      if (failure) throw failure;
      tookMs.sort((a, b) => a - b);
      const at = (share: number) => tookMs[Math.ceil(share * tookMs.length) - 1]?.toFixed(1);
      return `${tookMs.length} calls, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
    },
  };
}
