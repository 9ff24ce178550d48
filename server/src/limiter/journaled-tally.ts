import { type Admission, DURABLE_WINDOW_SECONDS, type Window } from './limiter.ts';
import type { WindowChange } from './ring.ts';
import { Tally } from './rings.ts';

/** What an append took from a tally, to be put back if it fails. */
export interface Taken {
  instantsMs: number[];
  restates: boolean;
}

/** A tally that knows how many of its newest admissions the journal has not seen. */
export class JournaledTally extends Tally {
  /** The journal would delete what it has of it too early: all of it is written once more. */
  restates = false;
  #unsaved = 0;

  /** Whether it must outlive a crash: also after a change to a short window, which may be undone. */
  get isDurable(): boolean {
    return this.ring.longestSpanMs >= DURABLE_WINDOW_SECONDS * 1_000;
  }

  override use(nowMs: number, window: Window): WindowChange {
    const change = super.use(nowMs, window);
    if (change === 'longer') this.restate();
    return change;
  }

  /**
   * Asked once a request was decided: whether the journal has to hear of it before the reply. A
   * refusal changes nothing, unless it is the first under another window.
   */
  mustBeSaved(admitted: boolean, change: WindowChange): boolean {
    if (!this.isDurable) return false;
    if (!admitted && change === 'other') this.restate();
    return admitted || this.restates;
  }

  restate(): void {
    this.#unsaved = this.ring.size;
    this.restates = true;
  }

  /** The ring has one more that the journal has not seen; `_atMs` is its instant. */
  addUnsaved(_atMs: number): void {
    this.#unsaved += 1;
  }

  /** What the journal has not seen and is still worth keeping; counts as seen from now on. */
  take(nowMs: number): Taken {
    const { ring, restates } = this;
    const count = Math.min(this.#unsaved, ring.count(nowMs, ring.longestSpanMs));
    const instantsMs: number[] = [];
    for (let left = count; left > 0; left--) instantsMs.push(ring.at(ring.size - left));
    this.#unsaved = 0;
    this.restates = false;
    return { instantsMs, restates };
  }

  /** Some of it may have been written all the same: stated once more, it replaces that. */
  putBack(_taken: Taken): void {
    this.restate();
  }

  /** Counts an admission of an earlier run. */
  restore(atMs: number, _admission: Admission): void {
    this.ring.insert(atMs);
  }
}
