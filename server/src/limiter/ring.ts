/**
 * The sliding window itself: the instants of admitted requests, oldest first. The next request fits when the N-th last
 * admission has left the window, so a check reads one number, whatever N is. With 4 requests in 10 s, after admissions
 * at 2, 4, 5, 9, 12 and 14 s:
 *
 *     slot          0    1    2    3
 *     instant      12   14    5    9      the oldest is in slot 2
 *     position      2    3    0    1      the 4th last is at position 0: the next fits at 5 + 10 = 15 s
 *
 * It promises that no answer differs from that of a list of all admissions (ring.test.ts compares them), in memory that
 * grows with use up to N.
 *
 * A limit may be changed and changed back, so the ring drops only what no window can ask for. It keeps the newest N of
 * the window in force. Until an earlier window has been out of force for its whole span, it keeps the newest of that
 * window's N too. Earlier windows are kept as one that covers them all.
 *
 * It reads no clock. Instants are milliseconds of any clock that the caller keeps to. The same sum `instant + span`
 * decides everywhere, so rounding can't make two answers disagree.
 */
import type { Standing } from './limiter.ts';

/**
 * Fractions make V8 store the array as unboxed doubles. Measured with a million rings: 286 bytes
 * each in all, 220 less than with Float64Array, and no slower.
 */
const EMPTY = 0.5;
const SMALLEST_CAPACITY = 4;

/** A window that was in force before: what it counts is kept until it can't come back unnoticed. */
export interface PastWindow {
  requests: number;
  spanMs: number;
  /** Its span after it was last in force. */
  untilMs: number;
}

/** Whether a window differs from the one before, or even looks further back than any that is kept. */
export type WindowChange = 'none' | 'other' | 'longer';

export class Ring {
  #requests = 0;
  #spanMs = 0;
  #past: PastWindow | undefined;
  #instants = [EMPTY, EMPTY, EMPTY, EMPTY];
  #oldest = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The window in force. */
  get requests(): number {
    return this.#requests;
  }

  get spanMs(): number {
    return this.#spanMs;
  }

  get past(): PastWindow | undefined {
    return this.#past;
  }

  /** How far back the ring has to remember; it is idle only when that has passed. */
  get longestSpanMs(): number {
    return this.#past === undefined ? this.#spanMs : Math.max(this.#spanMs, this.#past.spanMs);
  }

  /** The instant at `position`, where 0 is the oldest. */
  at(position: number): number {
    const slot = this.#oldest + position;
    const capacity = this.#instants.length;
    return this.#instants[slot < capacity ? slot : slot - capacity] as number;
  }

  /** Puts a window into force; the one before is kept for as long as it could come back. */
  use(nowMs: number, requests: number, spanMs: number): WindowChange {
    if (this.#past !== undefined && this.#past.untilMs <= nowMs) this.#dropPast();
    if (requests === this.#requests && spanMs === this.#spanMs) return 'none';
    const reachedMs = this.longestSpanMs;
    const before = this.#size > 0 && {
      requests: this.#requests,
      spanMs: this.#spanMs,
      untilMs: nowMs + this.#spanMs,
    };
    this.#requests = requests;
    this.#spanMs = spanMs;
    if (!before) return 'none';
    this.keep(before);
    return spanMs > reachedMs ? 'longer' : 'other';
  }

  /** Keeps what this window counts too, unless the one in force covers it. */
  keep(window: PastWindow): void {
    const past = this.#past === undefined ? window : covering(this.#past, window);
    const covered = past.requests <= this.#requests && past.spanMs <= this.#spanMs;
    this.#past = covered ? undefined : past;
  }

  /** Whether one more request fits into the window now. */
  fits(nowMs: number, requests: number, spanMs: number): boolean {
    if (this.#size < requests) return true;
    return requests > 0 && this.at(this.#size - requests) + spanMs <= nowMs;
  }

  /** Counts one more request if it fits into this window; a refused one leaves no trace. */
  admit(nowMs: number, requests: number, spanMs: number): boolean {
    this.use(nowMs, requests, spanMs);
    return this.admitInForce(nowMs);
  }

  /** The same for the window in force. */
  admitInForce(nowMs: number): boolean {
    if (!this.fits(nowMs, this.#requests, this.#spanMs)) return false;
    this.insert(nowMs);
    return true;
  }

  /** Counts a request that this window admitted elsewhere or earlier. */
  record(atMs: number, requests: number, spanMs: number): void {
    this.use(atMs, requests, spanMs);
    this.insert(atMs);
  }

  /** The same for the window in force. The instant may be older than the newest. */
  insert(atMs: number): void {
    // Older than all that are needed: in place of one of those it would let a slot go early.
    if (this.#size >= this.#mostNeeded && this.#size > 0 && atMs <= this.at(0)) return;
    if (this.#size === this.#instants.length) this.#makeRoom(atMs);
    let position = this.#size++;
    for (; position > 0 && this.at(position - 1) > atMs; position--) {
      this.#set(position, this.at(position - 1));
    }
    this.#set(position, atMs);
  }

  /** How many of the admitted are still inside the window. */
  count(nowMs: number, spanMs: number): number {
    let left = 0;
    let outside = this.#size;
    while (left < outside) {
      const middle = (left + outside) >>> 1;
      if (this.at(middle) + spanMs > nowMs) outside = middle;
      else left = middle + 1;
    }
    return this.#size - left;
  }

  /** Where the window stands; `admitted` says whether the next request would be. */
  standing(nowMs: number, requests: number, spanMs: number): Standing {
    if (requests <= 0) return { admitted: false, remaining: 0, resetInMs: spanMs };
    const counted = this.count(nowMs, spanMs);
    const remaining = Math.max(requests - counted, 0);
    // With more counted than fit (the limit was lowered), the next slot frees with the N-th last.
    const awaited = this.#size - Math.min(counted, requests);
    // Rounding could add a little to the span, and then a second to what callers are told.
    const resetInMs = counted === 0 ? 0 : Math.min(this.at(awaited) + spanMs - nowMs, spanMs);
    return { admitted: remaining > 0, remaining, resetInMs };
  }

  /** Whether nothing in it can matter any more. */
  idle(nowMs: number): boolean {
    if (this.#past !== undefined && this.#past.untilMs <= nowMs) this.#dropPast();
    return this.#size === 0 || this.at(this.#size - 1) + this.longestSpanMs <= nowMs;
  }

  get #mostNeeded(): number {
    const past = this.#past;
    return past === undefined ? this.#requests : Math.max(this.#requests, past.requests);
  }

  /** By dropping the oldest if no window needs it, else by growing. */
  #makeRoom(nowMs: number): void {
    const most = this.#mostNeeded;
    const isNeeded = this.#size < this.#requests || this.at(0) + this.longestSpanMs > nowMs;
    if (this.#size < most && isNeeded) {
      this.#resize(Math.min(this.#size * 2, most));
    } else {
      this.#oldest = this.#oldest + 1 === this.#size ? 0 : this.#oldest + 1;
      this.#size -= 1;
    }
  }

  /** Gives back what only a window of before needed. */
  #dropPast(): void {
    this.#past = undefined;
    if (this.#size > this.#requests) this.#resize(Math.max(this.#requests, SMALLEST_CAPACITY));
  }

  #set(position: number, atMs: number): void {
    const slot = this.#oldest + position;
    const capacity = this.#instants.length;
    this.#instants[slot < capacity ? slot : slot - capacity] = atMs;
  }

  /** Keeps the newest, as many as fit. */
  #resize(capacity: number): void {
    const resized = new Array<number>(capacity).fill(EMPTY);
    const first = Math.max(this.#size - capacity, 0);
    for (let position = first; position < this.#size; position++) {
      resized[position - first] = this.at(position);
    }
    this.#instants = resized;
    this.#oldest = 0;
    this.#size -= first;
  }
}

function covering(one: PastWindow, other: PastWindow): PastWindow {
  return {
    requests: Math.max(one.requests, other.requests),
    spanMs: Math.max(one.spanMs, other.spanMs),
    untilMs: Math.max(one.untilMs, other.untilMs),
  };
}
