import type { Clock } from '../base/clock.ts';
import type { JournaledTally } from './journaled-tally.ts';
import type { Admission, AdmissionJournal } from './limiter.ts';
import type { Rings } from './rings.ts';

/**
 * Counts what earlier runs admitted, by putting their windows into force and their admissions into
 * the rings in the order in which they were written. Wall-clock times become ages; one from a clock
 * that was ahead counts as just admitted. Resolves to the time of the last restatement, 0 if none.
 */
export async function readJournal<T extends JournaledTally>(
  journal: AdmissionJournal,
  rings: Rings<T>,
  clock: Clock,
): Promise<number> {
  const wallMs = clock.now();
  const nowMs = clock.monotonic();
  const restated = new Map<T, number>();
  let lastRestatedMs = 0;
  const ids = new Map<T, Set<string>>();
  for await (const admission of journal.load(wallMs)) {
    const { keyId, endpoint, atMs, restatedAtMs } = admission;
    let tally = rings.ensure(keyId, endpoint);
    if (restatedAtMs !== undefined && restated.get(tally) !== restatedAtMs) {
      rings.delete(tally);
      tally = rings.ensure(keyId, endpoint);
      restated.set(tally, restatedAtMs);
      lastRestatedMs = Math.max(lastRestatedMs, restatedAtMs);
    }
    const instantMs = nowMs - Math.max(wallMs - atMs, 0);
    useWindows(tally, admission, instantMs, nowMs - wallMs);
    if (isNew(tally, admission)) tally.restore(instantMs, admission);
  }
  return lastRestatedMs;

  /** Nodes that share a journal write an admission once more rather than replace each other's. */
  function isNew(tally: T, { id }: Admission): boolean {
    if (id === undefined) return true;
    let known = ids.get(tally);
    if (!known) {
      known = new Set();
      ids.set(tally, known);
    }
    if (known.has(id)) return false;
    known.add(id);
    return true;
  }
}

function useWindows(
  { ring }: JournaledTally,
  { atMs, keepUntilMs, window, past }: Admission,
  instantMs: number,
  monotonicMinusWallMs: number,
): void {
  // An older version did not say how many its window admitted: at least as many as it has written.
  const { requests, spanMs } = window ?? {
    requests: ring.size + 1,
    spanMs: keepUntilMs - atMs,
  };
  ring.use(instantMs, requests, spanMs);
  if (past) ring.keep({ ...past, untilMs: past.untilMs + monotonicMinusWallMs });
}
