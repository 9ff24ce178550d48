/**
 * Whether connections to a receiver may carry more than one request. A POST that meets the end of a used connection is
 * lost, and has to be made again. Once in a while that cannot be avoided: whoever is idle may close at any moment. A
 * receiver that does it again and again closes after each reply without saying so, and would lose half of its webhooks
 * under load.
 */

/** A second loss within this time ends the reuse … */
const WITHIN_MS = 60_000;
/** … for this long. */
const NO_REUSE_MS = 10 * 60_000;

export class Reuse {
  #lostAtMs = Number.NEGATIVE_INFINITY;
  #allowedFromMs = Number.NEGATIVE_INFINITY;

  /** A used connection ended before any byte of a reply. */
  lost(nowMs: number): void {
    if (nowMs - this.#lostAtMs < WITHIN_MS) this.#allowedFromMs = nowMs + NO_REUSE_MS;
    this.#lostAtMs = nowMs;
  }

  isAllowed(nowMs: number): boolean {
    return nowMs >= this.#allowedFromMs;
  }

  /** Whether there is nothing to remember. */
  isUnblemished(nowMs: number): boolean {
    return this.isAllowed(nowMs) && nowMs - this.#lostAtMs >= WITHIN_MS;
  }
}
