/**
 * How often a page reads again what it shows. A change is read at once, but the work that it starts, such as the
 * webhooks of "send all now", ends a moment after that. So for a few seconds after a change every poll comes sooner.
 */
const SOON_MS = 500;
/** At most six reads more for each change. */
const SOON_FOR_MS = 3_000;

let changedAtMs = Number.NEGATIVE_INFINITY;

export function noteChanged(nowMs = performance.now()): void {
  changedAtMs = nowMs;
}

/** Asked after every read. */
export function pollPause(everyMs: number, nowMs = performance.now()): number {
  return nowMs - changedAtMs < SOON_FOR_MS ? Math.min(SOON_MS, everyMs) : everyMs;
}
