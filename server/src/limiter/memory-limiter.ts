import { type Clock, repeat } from '../base/clock.ts';
import type { Outage } from '../base/database-errors.ts';
import { readJournal } from './journal-reader.ts';
import { JournalWriter, PRUNE_EVERY_MS } from './journal-writer.ts';
import { JournaledTally } from './journaled-tally.ts';
import { type AdmissionJournal, type Limiter, standingsBy } from './limiter.ts';
import { Rings, sweepIdle } from './rings.ts';

/**
 * The limiter of a single node: a ring in memory for each key and endpoint, on the monotonic
 * clock. It answers at once (0.2 µs, measured), except for an admission to a long window, which is
 * answered when the journal has it.
 */
export async function createMemoryLimiter(options: {
  clock: Clock;
  /** Without one, nothing outlives the process. */
  journal?: AdmissionJournal;
  /** Of the journal's database. */
  outage?: Outage;
}): Promise<Limiter> {
  const { clock, journal, outage } = options;
  const rings = new Rings((keyId, endpoint) => new JournaledTally(keyId, endpoint));
  const lastRestatedMs = journal ? await readJournal(journal, rings, clock) : 0;
  const writer = journal && new JournalWriter({ journal, clock, lastRestatedMs, outage });
  const sweeping = sweepIdle(rings, clock);
  const pruning = writer && repeat(clock, PRUNE_EVERY_MS, () => writer.prune());

  const standing: Limiter['standing'] = (keyId, endpoint, window) =>
    rings.standing(keyId, endpoint, clock.monotonic(), window);

  return {
    admit(keyId, endpoint, window) {
      const nowMs = clock.monotonic();
      const tally = rings.ensure(keyId, endpoint);
      const change = tally.use(nowMs, window);
      const admitted = tally.ring.admitInForce(nowMs);
      const standing = tally.ring.standing(nowMs, window.requests, window.seconds * 1_000);
      standing.admitted = admitted;
      if (!writer) return standing;
      if (admitted) tally.addUnsaved(nowMs);
      if (!tally.mustBeSaved(admitted, change)) return standing;
      return writer.saveForCall(tally)?.then(() => standing) ?? standing;
    },

    standing,
    standings: standingsBy(standing),

    journalLost: (silentForMs) => writer?.saveLost(rings, silentForMs),

    trouble: () => writer?.failure,

    async close() {
      sweeping.cancel();
      pruning?.cancel();
      await writer?.saveAll(rings);
    },
  };
}
