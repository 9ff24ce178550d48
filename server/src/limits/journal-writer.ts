import type { Clock, Timer } from '../clock.ts';
import type { Admission, AdmissionJournal } from './limiter.ts';
import { Tally } from './rings.ts';

/** How many admissions, or a few more, an orderly stop hands to the journal at once. */
const LAST_APPEND_SIZE = 5_000;
/** What could not be appended is tried again by itself, or the trouble would last until a next call. */
const RETRY_MS = 1_000;

/** A tally that knows how many of its newest admissions the journal has not seen. */
export class JournaledTally extends Tally {
  unsaved = 0;
  /** Its window grew longer: the journal would forget what it has seen of it too early. */
  restates = false;

  override reach(spanMs: number): boolean {
    const longer = super.reach(spanMs);
    if (longer) {
      this.unsaved = this.ring.size;
      this.restates = true;
    }
    return longer;
  }
}

/** What an append took from a tally, to be put back if it fails. */
interface Taken {
  tally: JournaledTally;
  count: number;
  restates: boolean;
}

interface Batch {
  tallies: Set<JournaledTally>;
  saved: PromiseWithResolvers<void>;
}

/**
 * Group commit: the admissions of one turn of the event loop share one append, and those that
 * come while it runs share the next. When an append fails, every request in it is told; what it
 * held goes with the tally's next append, so that a crash can't hand the same slots out again.
 */
export class JournalWriter {
  #journal: AdmissionJournal;
  #clock: Clock;
  #gathering: Batch | undefined;
  #appending: Promise<void> | undefined;
  #failure: string | undefined;
  #pruneFailure: string | undefined;
  readonly #owed = new Set<JournaledTally>();
  #retry: Timer | undefined;
  #stopped = false;

  constructor(journal: AdmissionJournal, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** What went wrong last, in a sentence, until something goes right. */
  get failure(): string | undefined {
    return this.#failure ?? this.#pruneFailure;
  }

  /** Resolves once all that the tally has admitted so far would outlive a crash. */
  save(tally: JournaledTally): Promise<void> {
    if (!this.#gathering) {
      this.#gathering = { tallies: new Set(), saved: Promise.withResolvers() };
      // Not a microtask: those run between two sockets' requests, and each would be on its own.
      if (!this.#appending) setImmediate(() => this.#appendGathered());
    }
    this.#gathering.tallies.add(tally);
    return this.#gathering.saved.promise;
  }

  async prune(): Promise<void> {
    try {
      await this.#journal.prune(this.#clock.now());
      this.#pruneFailure = undefined;
    } catch (error) {
      this.#pruneFailure = `Old admissions can't be removed from the database: ${reason(error)}.`;
    }
  }

  /** Appends whatever is still inside its window and was not appended yet. */
  async saveAll(tallies: Iterable<JournaledTally>): Promise<void> {
    this.#stopped = true;
    this.#retry?.cancel();
    while (this.#gathering || this.#appending) {
      this.#appendGathered();
      await this.#appending;
    }
    const nowMs = this.#clock.monotonic();
    let admissions: Admission[] = [];
    for (const tally of tallies) {
      tally.unsaved = Math.min(tally.unsaved, tally.ring.count(nowMs, tally.ring.longestSpanMs));
      this.#take(tally, admissions);
      if (admissions.length < LAST_APPEND_SIZE) continue;
      await this.#journal.append(admissions);
      admissions = [];
    }
    if (admissions.length > 0) await this.#journal.append(admissions);
  }

  #appendGathered(): void {
    const batch = this.#gathering;
    if (!batch || this.#appending) return;
    this.#gathering = undefined;
    this.#appending = this.#append(batch).then(() => {
      this.#appending = undefined;
      this.#appendGathered();
    });
  }

  async #append({ tallies, saved }: Batch): Promise<void> {
    const admissions: Admission[] = [];
    const taken: Taken[] = [];
    for (const tally of tallies) taken.push(this.#take(tally, admissions));
    try {
      await this.#journal.append(admissions);
      this.#failure = undefined;
      saved.resolve();
    } catch (error) {
      for (const { tally, count, restates } of taken) {
        tally.unsaved += count;
        tally.restates ||= restates;
        this.#owed.add(tally);
      }
      if (!this.#stopped) this.#retry ??= this.#clock.after(RETRY_MS, () => this.#appendOwed());
      this.#failure = `Admissions to long windows can't be saved: ${reason(error)}.`;
      saved.reject(error);
    }
  }

  #appendOwed(): void {
    this.#retry = undefined;
    // A failure is in `failure`, and those who waited were told.
    for (const tally of this.#owed) this.save(tally).catch(() => {});
    this.#owed.clear();
  }

  /** Moves what the journal has not seen from the tally to `admissions`. */
  #take(tally: JournaledTally, admissions: Admission[]): Taken {
    const { keyId, endpoint, ring, restates } = tally;
    const nowMs = this.#clock.now();
    const wallMinusMonotonicMs = nowMs - this.#clock.monotonic();
    const count = Math.min(tally.unsaved, ring.size);
    for (let position = ring.size - count; position < ring.size; position++) {
      // Rounded up: after a restart a slot may free a millisecond late, never early.
      const atMs = Math.ceil(ring.at(position) + wallMinusMonotonicMs);
      admissions.push({
        keyId,
        endpoint,
        atMs,
        keepUntilMs: atMs + ring.longestSpanMs,
        ...(restates && { restatedAtMs: nowMs }),
      });
    }
    tally.unsaved = 0;
    tally.restates = false;
    return { tally, count, restates };
  }
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // Some are whole sentences, and this becomes the end of one.
  return text.replace(/\.$/, '');
}
