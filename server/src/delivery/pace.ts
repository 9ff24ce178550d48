/**
 * The pace of one midoffice: in no second do more attempts begin than its `max_per_second`. A log of the beginnings is
 * exact, where a counter per second or a bucket of tokens lets twice as many through in a bad span. Nothing is kept
 * across nodes and restarts: whoever does not know what began in the last second waits for a whole one.
 */

/**
 * A second, and 2 ms more: attempts are dated a moment after they are counted, by a wall clock that NTP may slow down.
 * Their recorded starts keep the pace too.
 */
const SPAN_MS = 1_002;

export class Pace {
  /** When the attempts of the last second began, the oldest first. */
  readonly #begunAtMs: number[] = [];
  #opensAtMs = Number.NEGATIVE_INFINITY;

  /** Until now, attempts may have begun that are not known here. */
  startOver(nowMs: number): void {
    this.#begunAtMs.length = 0;
    this.#opensAtMs = nowMs + SPAN_MS;
  }

  /** When the next attempt may begin. A lower pace also counts what began under the higher one. */
  opensAtMs(maxPerSecond: number | null): number {
    if (maxPerSecond === null) return Number.NEGATIVE_INFINITY;
    const nthLastMs = this.#begunAtMs.at(-maxPerSecond) ?? Number.NEGATIVE_INFINITY;
    return Math.max(this.#opensAtMs, nthLastMs + SPAN_MS);
  }

  begin(maxPerSecond: number | null, nowMs: number): void {
    // Without a pace only the last beginning matters: a pace that is set later begins a second after it.
    if (maxPerSecond === null) {
      this.startOver(nowMs);
      return;
    }
    const begun = this.#begunAtMs;
    while ((begun[0] ?? nowMs) + SPAN_MS <= nowMs) begun.shift();
    begun.push(nowMs);
  }

  /** Whether anything began in the last second, so that the pace must not be forgotten. */
  isInUse(nowMs: number): boolean {
    const lastMs = this.#begunAtMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    return Math.max(this.#opensAtMs, lastMs + SPAN_MS) > nowMs;
  }
}
