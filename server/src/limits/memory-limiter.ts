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
      const admitted = tally.ring.admit(nowMs, window.requests, spanMs);
      const standing = tally.ring.standing(nowMs, window.requests, spanMs);
      standing.admitted = admitted;
      if (!admitted || !writer) return standing;
      tally.unsaved += 1;
      if (window.seconds < DURABLE_WINDOW_SECONDS) return standing;
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
  for await (const { keyId, endpoint, atMs, keepUntilMs } of journal.load(wallMs)) {
    const ageMs = Math.max(wallMs - atMs, 0);
    const { ring } = rings.ensure(keyId, endpoint);
    ring.record(nowMs - ageMs, Number.POSITIVE_INFINITY, keepUntilMs - atMs);
  }
}
