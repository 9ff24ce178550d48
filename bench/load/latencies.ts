/** Percentiles of what was measured since the last look. */
export interface Percentiles {
  count: number;
  p50Ms: number | null;
  p99Ms: number | null;
}

export class Latencies {
  #times: number[] = [];

  add(ms: number): void {
    this.#times.push(ms);
  }

  /** Starts over. */
  take(): Percentiles {
    const sorted = this.#times.sort((a, b) => a - b);
    this.#times = [];
    const at = (share: number) => {
      const ms = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
      return ms === undefined ? null : Number(ms.toFixed(2));
    };
    return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}
