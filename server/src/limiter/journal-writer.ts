/**
 * Writes admissions to long windows to the journal, so that a crash can't hand the same slots out again: a call that waits
 * for `save` gets its reply when its admission would outlive the process. The idea is group commit. The admissions of one
 * turn of the event loop share one append, and those that come while it runs share the next:
 *
 *     calls     a b c     d e f g
 *     appends         [──a b c───][──d e f g──]
 *     replies                     a b c        d e f g
 *
 * What Redis has counted too need not be waited for (`saveSoon`), and goes with the next append or within a second.
 *
 * If an append fails, the calls that wait for it fail, unless calls may go on without the database. What it held goes back
 * to its tally, and is tried again within a second. Some of it may have been written all the same. Where admissions have
 * ids (`identify`), a reader counts each once; otherwise the tally is restated: all of it is written once more, and
 * replaces what is there.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { DatabaseAway, type Outage } from '../base/database-errors.ts';
import type { JournaledTally, Taken } from './journaled-tally.ts';
import type { Admission, AdmissionJournal } from './limiter.ts';

/** How many admissions the journal is handed at once: a call waits for no more than these. */
const APPEND_SIZE = 5_000;
/** What Redis has counted is in the journal after this; sooner would cost more than it is worth. */
const SOON_MS = 1_000;
/** Keeps the journal from growing for ever. */
export const PRUNE_EVERY_MS = 10 * 60_000;
/** A journal that has lost something, such as a database after a failover, lacks at most so much of its end. */
const LOST_AT_MOST_MS = 5 * 60_000;
/** After a failure: a node must not count as degraded for minutes after its database is back. */
const PRUNE_AGAIN_MS = 5_000;

interface Batch<T> {
  tallies: Set<T>;
  saved: PromiseWithResolvers<void>;
  /** The same for calls, which may go on without the database: one promise for all of them. */
  savedForCalls: Promise<void>;
  /** Somebody waits for it. */
  urgent: boolean;
}

/** What makes an admission known again where several nodes write to one journal. */
export type Identify<T> = (tally: T, instantMs: number) => Pick<Admission, 'id' | 'epoch'>;

export class JournalWriter<T extends JournaledTally> {
  #journal: AdmissionJournal;
  #clock: Clock;
  #identify: Identify<T> | undefined;
  #outage: Outage | undefined;
  #gathering: Batch<T> | undefined;
  #soon: Timer | undefined;
  /** Tallies whose last append failed; the timer tries them again. */
  readonly #owed = new Set<T>();
  #appending: Promise<void> | undefined;
  #lastRestatedMs: number;
  #closing = false;
  #failure: string | undefined;
  #pruneFailure: string | undefined;
  #pruneAgain: Timer | undefined;

  constructor(options: {
    journal: AdmissionJournal;
    clock: Clock;
    /** When somebody restated a tally last: see `readJournal`. */
    lastRestatedMs: number;
    identify?: Identify<T>;
    /** While the journal's database does not answer, calls may go on; it is then written when the database is back. */
    outage?: Outage | undefined;
  }) {
    this.#journal = options.journal;
    this.#clock = options.clock;
    this.#lastRestatedMs = options.lastRestatedMs;
    this.#identify = options.identify;
    this.#outage = options.outage;
  }

  /** What went wrong last, in a sentence, until something goes right. */
  get failure(): string | undefined {
    return this.#failure ?? this.#pruneFailure;
  }

  /** Resolves once all that the tally has admitted so far would outlive a crash. */
  save(tally: T): Promise<void> {
    return this.#gatherUrgent(tally).saved.promise;
  }

  /** The same for a call that waits for it. Undefined if it need not wait, because calls go on without the database. */
  saveForCall(tally: T): Promise<void> | undefined {
    const outage = this.#outage;
    if (outage?.isAway() && outage.mayGoOn()) {
      this.saveSoon(tally);
      return undefined;
    }
    return this.#gatherUrgent(tally).savedForCalls;
  }

  /** The same within a second, for what somebody else keeps as well. */
  saveSoon(tally: T): void {
    const { tallies } = this.#gather(tally);
    if (tallies.size >= APPEND_SIZE) this.save(tally);
    else this.#soon ??= this.#clock.after(SOON_MS, () => this.#appendDelayed());
  }

  /** The journal has lost what it was given last. Stated once more, a tally replaces what is left of it. */
  saveLost(tallies: Iterable<T>, silentForMs: number): void {
    const sinceMs = this.#clock.monotonic() - silentForMs - LOST_AT_MOST_MS;
    for (const tally of tallies) {
      const { ring } = tally;
      if (!tally.isDurable || ring.size === 0 || ring.at(ring.size - 1) < sinceMs) continue;
      tally.restate();
      this.saveSoon(tally);
    }
  }

  async prune(): Promise<void> {
    this.#pruneAgain?.cancel();
    try {
      await this.#journal.prune(this.#clock.now());
      this.#pruneFailure = undefined;
    } catch (error) {
      this.#pruneFailure = `Old admissions can't be removed from the database: ${reason(error)}.`;
      if (!this.#closing) this.#pruneAgain = this.#clock.after(PRUNE_AGAIN_MS, () => this.prune());
    }
  }

  /** Appends whatever is still inside its window and was not appended yet. */
  async saveAll(tallies: Iterable<T>): Promise<void> {
    this.#closing = true;
    this.#soon?.cancel();
    this.#pruneAgain?.cancel();
    while (this.#gathering || this.#appending) {
      this.#appendGathered();
      await this.#appending;
    }
    await this.#appendAll(this.#takeFrom(tallies));
  }

  #gather(tally: T): Batch<T> {
    this.#gathering ??= this.#newBatch();
    this.#gathering.tallies.add(tally);
    return this.#gathering;
  }

  #gatherUrgent(tally: T): Batch<T> {
    const batch = this.#gather(tally);
    if (!batch.urgent) {
      batch.urgent = true;
      // Not a microtask: those run between two sockets' requests, and each would be on its own.
      if (!this.#appending) setImmediate(() => this.#appendGathered());
    }
    return batch;
  }

  #newBatch(): Batch<T> {
    const saved = Promise.withResolvers<void>();
    const savedForCalls = saved.promise.catch((error) => {
      if (!(error instanceof DatabaseAway && this.#outage?.mayGoOn())) throw error;
    });
    // Not everyone waits for it; those who do get the failure.
    savedForCalls.catch(() => {});
    return { tallies: new Set(), saved, savedForCalls, urgent: false };
  }

  #appendDelayed(): void {
    this.#soon = undefined;
    for (const tally of this.#owed) this.#gather(tally);
    this.#owed.clear();
    if (this.#gathering) this.#gathering.urgent = true;
    this.#appendGathered();
  }

  #appendGathered(): void {
    const batch = this.#gathering;
    if (!batch || this.#appending) return;
    this.#gathering = undefined;
    this.#appending = this.#append(batch).then(() => {
      this.#appending = undefined;
      if (this.#gathering?.urgent) this.#appendGathered();
    });
  }

  async #append({ tallies, saved }: Batch<T>): Promise<void> {
    const nowMs = this.#clock.monotonic();
    const taken = Array.from(tallies, (tally) => [tally, tally.take(nowMs)] as const);
    try {
      await this.#appendAll(taken);
      this.#failure = undefined;
      saved.resolve();
    } catch (error) {
      for (const [tally, what] of taken) {
        tally.putBack(what);
        // Not with the next call's: while the disk is full, each call would write all of them again.
        this.#owed.add(tally);
      }
      if (!this.#closing) this.#soon ??= this.#clock.after(SOON_MS, () => this.#appendDelayed());
      this.#failure = `Admissions to long windows can't be saved: ${reason(error)}.`;
      saved.reject(error);
    }
  }

  /**
   * A tally may hold a million admissions. While the disk is full all of them are tried again every second, so they
   * are put into words only as far as the journal takes them.
   */
  async #appendAll(taken: Iterable<readonly [T, Taken]>): Promise<void> {
    let admissions: Admission[] = [];
    for (const [tally, what] of taken) {
      for (const admission of this.#admissionsOf(tally, what)) {
        admissions.push(admission);
        if (admissions.length < APPEND_SIZE) continue;
        await this.#journal.append(admissions);
        admissions = [];
      }
    }
    if (admissions.length > 0) await this.#journal.append(admissions);
  }

  *#takeFrom(tallies: Iterable<T>): Generator<readonly [T, Taken]> {
    for (const tally of tallies) yield [tally, tally.take(this.#clock.monotonic())];
  }

  *#admissionsOf(tally: T, { instantsMs, restates }: Taken): Generator<Admission> {
    const { keyId, endpoint, ring } = tally;
    const nowMs = this.#clock.now();
    const wallMinusMonotonicMs = nowMs - this.#clock.monotonic();
    const { requests, spanMs, longestSpanMs } = ring;
    const past = ring.past && {
      ...ring.past,
      untilMs: Math.ceil(ring.past.untilMs + wallMinusMonotonicMs),
    };
    const restatedAtMs = restates && !this.#identify ? this.#restatedAt(nowMs) : undefined;
    for (const instantMs of instantsMs) {
      // Rounded up: after a restart a slot may free a millisecond late, never early.
      const atMs = Math.ceil(instantMs + wallMinusMonotonicMs);
      yield {
        keyId,
        endpoint,
        atMs,
        keepUntilMs: atMs + longestSpanMs,
        window: { requests, spanMs },
        ...(past && { past }),
        ...(restatedAtMs !== undefined && { restatedAtMs }),
        ...this.#identify?.(tally, instantMs),
      };
    }
  }

  /** Two statements of one tally never have the same time, or the second would add to the first. */
  #restatedAt(nowMs: number): number {
    this.#lastRestatedMs = Math.max(nowMs, this.#lastRestatedMs + 1);
    return this.#lastRestatedMs;
  }
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // Some are whole sentences, and this becomes the end of one.
  return text.replace(/\.$/, '');
}
