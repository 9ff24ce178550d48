import { JournaledTally, type Taken } from '../journaled-tally.ts';
import type { Admission } from '../limiter.ts';
import { type Heard, LoneWindow, shareOf } from './lone-window.ts';

/** What Redis said when it last refused: "no" stays true until then, for these very numbers. */
interface Refusal {
  requests: number;
  seconds: number;
  /** Until here a "no" can be given without asking: the earliest a slot can free. */
  untilMs: number;
  /** What to tell the caller: the latest it can free. They differ by the time the answer took. */
  freesAtMs: number;
}

/** Redis was lost, and this node was one of so many. */
export interface Loss {
  lostMs: number;
  nodes: number;
  /** From 0. */
  rank: number;
}

/** Admissions to merge into Redis, oldest first. */
export interface Unmerged {
  instantsMs: number[];
  isAll: boolean;
}

const MICROSECOND_MS = 0.001;
/** A journal may hold many more than the ring; their ids are dropped by so many at a time. */
const SPARE_IDS = 1_000;

/** What a node knows of one window in Redis. */
export class MirroredTally extends JournaledTally {
  refusal: Refusal | undefined;
  /** Written at each answer of Redis, in place: a new object for each would cost more than the rest of it. */
  readonly #heard: Heard = { counted: 0, atMs: Number.NEGATIVE_INFINITY };
  /** While this node decides by itself. */
  #lone: LoneWindow | undefined;
  /** Of the list in Redis that has this tally's admissions; empty if there is none. */
  generation = '';
  /** The epoch in which Redis has counted all that was read from the journal; '' if in none. */
  readInEpoch: string | undefined;
  /** By instant, the ids of admissions that were read from the journal. */
  #readIds: Map<number, string> | undefined;
  #lastReadMs = 0;
  /** Those that Redis may lack, unless it may lack all of them. */
  #unmergedMs: number[] = [];
  #isAllUnmerged = false;
  /** Answers may come late, so those that the journal has not seen need not be the newest. */
  #unsavedMs: number[] = [];

  /** Undefined for an admission of this run. */
  readIdOf(instantMs: number): string | undefined {
    return this.#readIds?.get(instantMs);
  }

  /** Asked now and then, which is when ids of admissions that no window counts can go. */
  override idle(nowMs: number): boolean {
    const { longestSpanMs } = this.ring;
    if (this.#lastReadMs + longestSpanMs <= nowMs) this.#readIds = undefined;
    return super.idle(nowMs) && this.#heard.atMs + longestSpanMs <= nowMs;
  }

  /** Redis said how many the window counts, of all nodes. */
  hear(counted: number, atMs: number): void {
    this.#heard.counted = counted;
    this.#heard.atMs = atMs;
    this.#lone = undefined;
  }

  /** The window in force, as this node may fill it since Redis was lost. */
  lone(loss: Loss): LoneWindow {
    const { requests, spanMs } = this.ring;
    const before = this.#lone?.lostMs === loss.lostMs ? this.#lone : undefined;
    if (before && before.requests === requests && before.spanMs === spanMs) return before;
    const { lostMs } = loss;
    const share = shareOf(this.keyId, loss);
    this.#lone = new LoneWindow(this.ring, this.#heard, {
      lostMs,
      share,
      beforeMs: before?.beforeMs,
    });
    return this.#lone;
  }

  override restate(): void {
    this.restates = true;
  }

  override addUnsaved(atMs: number): void {
    if (this.isDurable) this.#unsavedMs.push(atMs);
  }

  override take(nowMs: number): Taken {
    const { restates } = this;
    const instantsMs = restates ? this.instantsInside(nowMs) : this.#unsavedMs;
    this.#unsavedMs = [];
    this.restates = false;
    return { instantsMs, restates };
  }

  override putBack({ instantsMs, restates }: Taken): void {
    // No more than the ring holds: what it has dropped is of no use in the journal either.
    this.#unsavedMs = [...instantsMs, ...this.#unsavedMs].slice(-this.ring.size);
    this.restates ||= restates;
  }

  /** Redis may not have this admission. */
  addUnmerged(instantMs: number): void {
    if (this.#isAllUnmerged) return;
    this.#unmergedMs.push(instantMs);
    // After hours without Redis: those that the ring has dropped are of no use in Redis either.
    if (this.#unmergedMs.length > this.ring.size) this.addAllUnmerged();
  }

  /** Redis may have none of them. */
  addAllUnmerged(): void {
    this.#isAllUnmerged = true;
    this.#unmergedMs = [];
  }

  /** What Redis may lack and a window may still count; counts as merged from now on. */
  takeUnmerged(nowMs: number): Unmerged {
    const isAll = this.#isAllUnmerged;
    const oldestMs = nowMs - this.ring.longestSpanMs;
    const instantsMs = isAll
      ? this.instantsInside(nowMs)
      : this.#unmergedMs.filter((instantMs) => instantMs > oldestMs);
    this.#unmergedMs = [];
    this.#isAllUnmerged = false;
    return { instantsMs, isAll };
  }

  /** They could not be merged. */
  putBackUnmerged({ instantsMs, isAll }: Unmerged): void {
    if (isAll) this.addAllUnmerged();
    else this.#unmergedMs = [...instantsMs, ...this.#unmergedMs];
  }

  /** Those that a window may still count. */
  instantsInside(nowMs: number): number[] {
    const { ring } = this;
    const count = ring.count(nowMs, ring.longestSpanMs);
    return Array.from({ length: count }, (_, n) => ring.at(ring.size - count + n));
  }

  /** The instant tells admissions apart, so no two may have the same. */
  override restore(atMs: number, admission: Admission): void {
    this.#readIds ??= new Map();
    let instantMs = atMs;
    let sameTime = 0;
    for (; this.#readIds.has(instantMs); instantMs += MICROSECOND_MS) sameTime += 1;
    // One that was written without Redis has no id; it gets the same one each time it is read.
    const id = admission.id ?? `-${sameTime}.${admission.atMs.toString(36)}`;
    this.#readIds.set(instantMs, id);
    this.#lastReadMs = Math.max(this.#lastReadMs, instantMs);
    this.ring.insert(instantMs);
    if (this.#readIds.size > 2 * this.ring.size + SPARE_IDS) this.#dropOldIds();
    const epoch = admission.epoch ?? '';
    this.readInEpoch = this.readInEpoch === undefined || this.readInEpoch === epoch ? epoch : '';
  }

  #dropOldIds(): void {
    const oldestMs = this.ring.at(0);
    for (const instantMs of this.#readIds?.keys() ?? []) {
      if (instantMs < oldestMs) this.#readIds?.delete(instantMs);
    }
  }
}
