import type { Clock, Timer } from '../clock.ts';

const PRUNE_EVERY_MS = 10 * 60_000;

/** Keeps a journal from growing for ever. */
export function pruneNowAndThen(journal: { prune(): Promise<void> }, clock: Clock): Timer {
  let cancelled = false;
  let timer = clock.after(PRUNE_EVERY_MS, prune);
  return {
    cancel() {
      cancelled = true;
      timer.cancel();
    },
  };

  async function prune(): Promise<void> {
    await journal.prune();
    if (!cancelled) timer = clock.after(PRUNE_EVERY_MS, prune);
  }
}
