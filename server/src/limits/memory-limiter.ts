import type { Clock } from '../clock.ts';
import { JournaledTally, JournalWriter } from './journal-writer.ts';
import { type AdmissionJournal, DURABLE_WINDOW_SECONDS, type Limiter } from './limiter.ts';
import { Rings, sweepIdle } from './rings.ts';

const PRUNE_EVERY_MS = 10 * 60_000;

/**
 * The limiter of a single node: a ring in memory for each key and endpoint, on the monotonic
 * clock. It answers at once (0.2 µs, measured), except for an admission to a long window, which is
 * answered when the journal has it.
 */
export async function createMemoryLimiter(options: {
  clock: Clock;
  /** Without one, nothing outlives the process. */
  journal?: AdmissionJournal;
}): Promise<Limiter> {
  const { clock, journal } = options;
  const rings = new Rings((keyId, endpoint) => new JournaledTally(keyId, endpoint));
  const writer = journal && new JournalWriter(journal, clock);
  if (journal) await load(journal, rings, clock);
  const sweeping = sweepIdle(rings, clock);
  let closed = false;
  let pruning = clock.after(PRUNE_EVERY_MS, prune);

  return {
    admit(keyId, endpoint, window) {
      const nowMs = clock.monotonic();
      const spanMs = window.seconds * 1_000;
      const tally = rings.ensure(keyId, endpoint);
      tally.reach(spanMs);
      const admitted = tally.ring.admit(nowMs, window.requests, spanMs);
      const standing = tally.ring.standing(nowMs, window.requests, spanMs);
      standing.admitted = admitted;
      if (!writer) return standing;
      if (admitted) tally.unsaved += 1;
      // A refusal changes nothing, unless it is the first under a window that was made longer.
      const changed = admitted || tally.restates;
      if (!changed || window.seconds < DURABLE_WINDOW_SECONDS) return standing;
      return writer.save(tally).then(() => standing);
    },

    standing(keyId, endpoint, window) {
      return rings.standing(keyId, endpoint, clock.monotonic(), window);
    },

    trouble: () => writer?.failure,

    async close() {
      closed = true;
      sweeping.cancel();
      pruning.cancel();
      await writer?.saveAll(rings);
    },
  };

  async function prune(): Promise<void> {
    await writer?.prune();
    if (!closed) pruning = clock.after(PRUNE_EVERY_MS, prune);
  }
}

/** Turns wall-clock times back into ages; one from a clock that was ahead counts as just admitted. */
async function load(
  journal: AdmissionJournal,
  rings: Rings<JournaledTally>,
  clock: Clock,
): Promise<void> {
  const wallMs = clock.now();
  const nowMs = clock.monotonic();
  const restated = new Map<JournaledTally, number>();
  for await (const { keyId, endpoint, atMs, keepUntilMs, restatedAtMs } of journal.load(wallMs)) {
    let tally = rings.ensure(keyId, endpoint);
    if (restatedAtMs !== undefined && restated.get(tally) !== restatedAtMs) {
      rings.delete(tally);
      tally = rings.ensure(keyId, endpoint);
      restated.set(tally, restatedAtMs);
    }
    const ageMs = Math.max(wallMs - atMs, 0);
    tally.ring.record(nowMs - ageMs, Number.POSITIVE_INFINITY, keepUntilMs - atMs);
  }
}
