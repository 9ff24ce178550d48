/**
 * A lane is what its owner knows about one midoffice: the rows in memory, the attempts in flight, and
 * when to read the table again. All other rows wait in the table.
 *
 *     table ──read, or handed over──→ queued ──slot free, pace open──→ in flight ──settled──→ gone
 *                                                                          └──── failed ────→ table
 */
import { Pace } from './pace.ts';
import type { LaneRequest, LaneWork } from './queue.ts';
import type { Due, LaneConfig } from './stages.ts';
import { takeOut } from './take-out.ts';

/** Rows that a lane reads ahead. A round trip per row would keep its receiver waiting. */
export const READ_AHEAD = 512;
/** With less than this part of them it reads more; the read skips the rows it still holds. */
const LOW_WATER = 1 / 8;
/** A lane with a pace reads ahead for this long, so that many slow lanes do not fill the memory that all share. */
const READ_AHEAD_SECONDS = 8;
const NEVER_MS = Number.POSITIVE_INFINITY;

/** Counters shared by all lanes of a node. */
export interface Memory {
  /** Rows queued in all lanes. */
  rows: number;
  /** Finished reads of the table. */
  reads: number;
}

export class Lane {
  readonly midofficeId: string;
  readonly shard: number;
  /** Undefined until it was read. */
  config: LaneConfig | undefined;
  /** When `DueWork` will look at this lane again. Only `DueWork` sets it. */
  readonly wakesAtMs = new Set<number>();
  /** Counts requests for the midoffice's config; only the answer to the latest one is used. */
  configAsked = 0;
  readonly #memory: Memory;
  readonly #queue: Due[] = [];
  readonly #known = new Set<number>();
  readonly #inFlight: Due[] = [];
  readonly #orders = new Set<string>();
  readonly #pace = new Pace();
  #takenSlots = 0;
  #readAtMs = NEVER_MS;
  /** The number of the last finished read. */
  #lastRead: number;
  /** Rows that have left memory since the current read began; the read may still return them. */
  #leftSinceRead: Set<number> | undefined;
  /** The result of the current read will be out of date. */
  #isReadStale = false;
  /** A change made it read again a moment ago. */
  #rests = false;
  /** Another change came since. It reads when it has rested. */
  #isHeldBack = false;
  #isDropped = false;

  /** `ownedSinceMs`: when this node gained the shard, on the monotonic clock. */
  constructor(midofficeId: string, shard: number, memory: Memory, ownedSinceMs: number) {
    this.midofficeId = midofficeId;
    this.shard = shard;
    this.#memory = memory;
    this.#pace.startOver(ownedSinceMs);
    // A lane dropped a moment ago may already have read and settled the rows that are handed over now.
    this.#lastRead = ++memory.reads;
  }

  get hasQueued(): boolean {
    return this.#queue.length > 0;
  }

  /** Queued or in flight. */
  get known(): Due[] {
    return [...this.#inFlight, ...this.#queue];
  }

  isIdle(nowMs: number): boolean {
    if (this.#known.size > 0 || this.#readAtMs !== NEVER_MS || this.#leftSinceRead) return false;
    return !this.#pace.isInUse(nowMs);
  }

  /** When to read the table next. Never, while the lane has enough rows. */
  get readAtMs(): number {
    return this.#wantsRows ? this.#readAtMs : NEVER_MS;
  }

  /**
   * Takes a row that was just accepted. The lane reads the table instead if the row has an order to keep,
   * if other rows in the table come first, or if a read since `mark` may already have returned the row.
   */
  handOver(due: Due, { mark, nowMs }: { mark: number; nowMs: number }): void {
    const mustRead =
      this.#lastRead > mark ||
      due.order_key !== null ||
      this.config?.ordered ||
      this.config?.restating ||
      this.#readAtMs <= nowMs ||
      this.#leftSinceRead !== undefined ||
      this.#queue.length >= this.#readAhead;
    if (mustRead) this.wake(nowMs);
    else this.#hold(due);
  }

  /** There may be rows to read from this time on. */
  wake(atMs: number): void {
    this.#readAtMs = Math.min(this.#readAtMs, atMs);
  }

  /** Drops all rows but those in flight, because they may be out of date. */
  forget(): void {
    const queued = this.#queue.splice(0);
    this.#memory.rows -= queued.length;
    for (const { seq } of queued) this.#leave(seq);
    this.#isReadStale = true;
    this.wake(0);
  }

  /**
   * Rows in the table have changed. A change of very many comes in groups, and reading again after each would take more
   * of the thread than the change itself. Returns whether the lane begins to rest.
   */
  changed(): boolean {
    this.forget();
    this.#isHeldBack = this.#rests;
    this.#rests = true;
    return !this.#isHeldBack;
  }

  /** Returns whether it was held back: then it may read now, and rests again. */
  rested(): boolean {
    this.#rests = this.#isHeldBack;
    this.#isHeldBack = false;
    return this.#rests;
  }

  /** This node has gained the shard, perhaps from another node that began attempts a moment ago. */
  gained(nowMs: number): void {
    this.#pace.startOver(nowMs);
    // A change by support may have gone unnoticed.
    this.forget();
  }

  /** This node lost the shard. Timers and reads may still refer to the lane, but it stays inactive. */
  drop(): void {
    this.forget();
    this.#isDropped = true;
  }

  isReadable(nowMs: number): boolean {
    return this.#wantsRows && this.#readAtMs <= nowMs && !this.#leftSinceRead;
  }

  /** `share`: how many rows there is memory for. */
  beginRead(epoch: number, share: number): LaneRequest {
    const limit = Math.min(Math.max(share, this.config?.max_in_flight ?? 0), this.#readAhead);
    this.#readAtMs = NEVER_MS;
    this.#leftSinceRead = new Set();
    this.#isReadStale = false;
    const { midofficeId, shard } = this;
    return { midofficeId, shard, epoch, limit, known: new Set(this.#known) };
  }

  endRead({ due, nextDueAtMs }: LaneWork): void {
    const left = this.#leftSinceRead as Set<number>;
    this.#leftSinceRead = undefined;
    this.#lastRead = ++this.#memory.reads;
    if (this.#isReadStale) {
      this.wake(0);
      return;
    }
    for (const one of due) {
      if (left.has(one.seq)) this.wake(0);
      else if (!this.#known.has(one.seq)) this.#hold(one);
    }
    if (nextDueAtMs !== null) this.wake(nextDueAtMs);
  }

  /** For a read that failed, or whose shard was lost meanwhile. */
  breakOffRead(): void {
    this.#leftSinceRead = undefined;
    this.wake(0);
  }

  /** The next row to attempt, if a slot is free and the pace allows it. From now on it is in flight. */
  take(nowMs: number): Due | undefined {
    const { config } = this;
    if (!config || !this.#hasFreeSlot) return undefined;
    if (this.#pace.opensAtMs(config.max_per_second) > nowMs) return undefined;
    const due = this.#takeFirst();
    if (!due) return undefined;
    this.#pace.begin(config.max_per_second, nowMs);
    this.#memory.rows--;
    this.#takenSlots++;
    this.#inFlight.push(due);
    if (due.order_key !== null) this.#orders.add(due.order_key);
    return due;
  }

  /** A webhook is on its way to the receiver, or will never be. Every attempt calls it once. */
  sent(nowMs: number): void {
    this.#pace.sent(this.config?.max_per_second ?? null, nowMs);
  }

  /** When to take the next row, if only time holds it back; undefined otherwise. */
  opensAtMs(nowMs: number): number | undefined {
    if (!this.config || !this.#hasFreeSlot || !this.hasQueued) return undefined;
    const atMs = this.#pace.opensAtMs(this.config.max_per_second);
    return atMs > nowMs && atMs < NEVER_MS ? atMs : undefined;
  }

  get #hasFreeSlot(): boolean {
    const { config } = this;
    return config !== undefined && !config.paused && this.#takenSlots < config.max_in_flight;
  }

  /** The first row whose order has no attempt in flight. */
  #takeFirst(): Due | undefined {
    if (this.#orders.size === 0) return this.#queue.shift();
    const at = this.#queue.findIndex(
      ({ order_key }) => order_key === null || !this.#orders.has(order_key),
    );
    return at < 0 ? undefined : this.#queue.splice(at, 1)[0];
  }

  has(due: Due): boolean {
    return this.#inFlight.includes(due);
  }

  /** The receiver has answered; the outcome may not be recorded yet. */
  freeSlot(): void {
    this.#takenSlots--;
  }

  /**
   * An attempt was recorded, or never will be. Returns false if it belongs to an earlier lane of this
   * midoffice, dropped with its shard.
   */
  end(due: Due): boolean {
    const at = this.#inFlight.indexOf(due);
    if (at < 0) return false;
    takeOut(this.#inFlight, at);
    this.#leave(due.seq);
    if (due.order_key !== null) this.#orders.delete(due.order_key);
    else if (!this.config?.ordered) return true;
    // The next event of the order may be free now.
    this.wake(0);
    return true;
  }

  /**
   * The attempt has to be made again: `next` is the first to go, as soon as the pace allows it. The slot is free again.
   * Returns false as `end` does.
   */
  repeat(due: Due, next: Due): boolean {
    const at = this.#inFlight.indexOf(due);
    if (at < 0) return false;
    takeOut(this.#inFlight, at);
    if (due.order_key !== null) this.#orders.delete(due.order_key);
    this.#takenSlots--;
    this.#queue.unshift(next);
    this.#memory.rows++;
    return true;
  }

  get #wantsRows(): boolean {
    const lowWater = this.#readAhead * LOW_WATER;
    if (this.#isDropped || this.#isHeldBack || this.config?.paused) return false;
    return this.#queue.length < lowWater;
  }

  get #readAhead(): number {
    const maxPerSecond = this.config?.max_per_second ?? READ_AHEAD;
    return Math.min(READ_AHEAD, READ_AHEAD_SECONDS * maxPerSecond);
  }

  #hold(due: Due): void {
    this.#known.add(due.seq);
    this.#queue.push(due);
    this.#memory.rows++;
  }

  #leave(seq: number): void {
    this.#known.delete(seq);
    this.#leftSinceRead?.add(seq);
  }
}
