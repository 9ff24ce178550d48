/**
 * The pace of one midoffice: no second at its receiver sees more webhooks than its `max_per_second`. A log of the times at
 * which they were sent is exact, where a counter per second or a bucket of tokens lets twice as many through in a bad
 * span. An attempt that has begun and waits for its connection may be sent at any moment, so it counts until a second
 * after it was. Nothing is kept across nodes and restarts: whoever does not know what was sent in the last second waits
 * for a whole one.
 */

/** A second, and what the way to the receiver may take less for one webhook than for an earlier one. */
const SPAN_MS = 1_050;
/** Attempts are spread over the second. After a late timer, as many may begin together as would have in this time. */
const CATCH_UP_MS = 10;

export class Pace {
  /** When the webhooks of the last second were sent, the oldest first. */
  readonly #sentAtMs: number[] = [];
  /** Attempts that have begun and are not sent yet. */
  #unsent = 0;
  #opensAtMs = Number.NEGATIVE_INFINITY;

  /** Until now, webhooks may have been sent that are not known here. */
  startOver(nowMs: number): void {
    this.#sentAtMs.length = 0;
    this.#opensAtMs = nowMs + SPAN_MS;
  }

  /** When the next attempt may begin; infinite while that depends on those that are not sent yet. */
  opensAtMs(maxPerSecond: number | null): number {
    if (maxPerSecond === null) return Number.NEGATIVE_INFINITY;
    const left = maxPerSecond - this.#unsent;
    if (left <= 0) return Number.POSITIVE_INFINITY;
    // A lower pace also counts what was sent under the higher one.
    const nthLastMs = this.#sentAtMs.at(-left) ?? Number.NEGATIVE_INFINITY;
    return Math.max(this.#opensAtMs, nthLastMs + SPAN_MS);
  }

  /** `sent` must follow, whatever becomes of the attempt. */
  begin(maxPerSecond: number | null, nowMs: number): void {
    this.#unsent++;
    if (maxPerSecond === null) return;
    this.#opensAtMs = Math.max(this.#opensAtMs, nowMs - CATCH_UP_MS) + SPAN_MS / maxPerSecond;
  }

  sent(maxPerSecond: number | null, nowMs: number): void {
    this.#unsent--;
    // Without a pace only the last one matters: a pace that is set later begins a second after it.
    if (maxPerSecond === null) {
      this.startOver(nowMs);
      return;
    }
    const sent = this.#sentAtMs;
    while ((sent[0] ?? nowMs) + SPAN_MS <= nowMs) sent.shift();
    sent.push(nowMs);
  }

  /** Whether anything was sent in the last second or will be, so that the pace must not be forgotten. */
  isInUse(nowMs: number): boolean {
    const lastMs = this.#sentAtMs.at(-1) ?? Number.NEGATIVE_INFINITY;
    return this.#unsent > 0 || Math.max(this.#opensAtMs, lastMs + SPAN_MS) > nowMs;
  }
}
