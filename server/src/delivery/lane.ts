/**
 * A lane is what its owner knows of one midoffice: the rows it holds in memory, what is in flight,
 * and when the table is worth reading again. Everything else waits in the table.
 *
 *     table ──read, or handed over──→ queued ──slot free──→ in flight ──settled──→ gone
 *                                                               └──── failed ────→ table
 */
import type { LaneRequest, LaneWork } from './queue.ts';
import type { Due, LaneConfig } from './stages.ts';

/** Rows that a lane reads ahead; a round trip for each would leave its receiver waiting. */
export const READ_AHEAD = 512;
/** Below this many it reads the next. Those that it holds then are stepped over. */
const LOW_WATER = 64;
const NEVER_MS = Number.POSITIVE_INFINITY;

/** What the lanes of a node have in common. */
export interface Memory {
  /** Queued in all lanes. */
  rows: number;
  /** Reads of the table that have ended. */
  reads: number;
}

export class Lane {
  readonly midofficeId: string;
  readonly shard: number;
  /** Undefined until it is read. */
  config: LaneConfig | undefined;
  /** When `DueWork` will look at it again; set only by `DueWork`. */
  readonly wakesAtMs = new Set<number>();
  /** Counts the times its midoffice was asked for: only the latest answer is used. */
  configAsked = 0;
  readonly #memory: Memory;
  readonly #queue: Due[] = [];
  readonly #known = new Set<number>();
  readonly #inFlight = new Set<Due>();
  readonly #orders = new Set<string>();
  #takenSlots = 0;
  #readAtMs = NEVER_MS;
  /** The number of the last read that ended. */
  #lastRead: number;
  /** What has left memory since the read that is under way began, which may still bring it. */
  #leftSinceRead: Set<number> | undefined;
  /** What a read under way brings is out of date. */
  #isReadStale = false;
  #isDropped = false;

  constructor(midofficeId: string, shard: number, memory: Memory) {
    this.midofficeId = midofficeId;
    this.shard = shard;
    this.#memory = memory;
    // A lane that was dropped a moment ago may have read, and settled, what is handed over now.
    this.#lastRead = ++memory.reads;
  }

  get hasQueued(): boolean {
    return this.#queue.length > 0;
  }

  get isIdle(): boolean {
    return this.#known.size === 0 && this.#readAtMs === NEVER_MS && !this.#leftSinceRead;
  }

  /** When it wants to be looked at; never, while only a freed slot could help it. */
  get readAtMs(): number {
    return this.#wantsRows ? this.#readAtMs : NEVER_MS;
  }

  /**
   * A row accepted a moment ago. What must be ordered, or wait behind rows in the table, is read. So is
   * what a read may have brought already: one that ended since `mark`, before it was stored.
   */
  handOver(due: Due, { mark, nowMs }: { mark: number; nowMs: number }): void {
    const mustRead =
      this.#lastRead > mark ||
      due.orderKey !== null ||
      this.config?.ordered ||
      this.#readAtMs <= nowMs ||
      this.#leftSinceRead !== undefined ||
      this.#queue.length >= READ_AHEAD;
    if (mustRead) this.wake(nowMs);
    else this.#hold(due);
  }

  /** There may be rows to read from then on. */
  wake(atMs: number): void {
    this.#readAtMs = Math.min(this.#readAtMs, atMs);
  }

  /** What it holds may be out of date: only what is in flight is kept. */
  forget(): void {
    const queued = this.#queue.splice(0);
    this.#memory.rows -= queued.length;
    for (const { seq } of queued) this.#leave(seq);
    this.#isReadStale = true;
    this.wake(0);
  }

  /** Its shard is gone. Timers and reads may still hold it; it never works again. */
  drop(): void {
    this.forget();
    this.#isDropped = true;
  }

  isReadable(nowMs: number): boolean {
    return this.#wantsRows && this.#readAtMs <= nowMs && !this.#leftSinceRead;
  }

  beginRead(epoch: number, limit: number): LaneRequest {
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

  /** Of a read that failed, or whose shard is gone meanwhile. */
  breakOffRead(): void {
    this.#leftSinceRead = undefined;
    this.wake(0);
  }

  /** The next row to attempt, if there is a slot for it. It is in flight from now on. */
  take(): Due | undefined {
    const { config } = this;
    if (!config || config.paused || this.#takenSlots >= config.maxInFlight) return undefined;
    const due = this.#takeFirst();
    if (!due) return undefined;
    this.#memory.rows--;
    this.#takenSlots++;
    this.#inFlight.add(due);
    if (due.orderKey !== null) this.#orders.add(due.orderKey);
    return due;
  }

  /** The first whose order is not under way. */
  #takeFirst(): Due | undefined {
    if (this.#orders.size === 0) return this.#queue.shift();
    const at = this.#queue.findIndex(
      ({ orderKey }) => orderKey === null || !this.#orders.has(orderKey),
    );
    return at < 0 ? undefined : this.#queue.splice(at, 1)[0];
  }

  has(due: Due): boolean {
    return this.#inFlight.has(due);
  }

  /** The receiver is done with an attempt, though it is not recorded yet. */
  freeSlot(): void {
    this.#takenSlots--;
  }

  /**
   * An attempt is recorded, or will not be. False if it was not this lane's, but one's that was dropped
   * with its shard.
   */
  end(due: Due): boolean {
    if (!this.#inFlight.delete(due)) return false;
    this.#leave(due.seq);
    if (due.orderKey !== null) this.#orders.delete(due.orderKey);
    else if (!this.config?.ordered) return true;
    // The next of its order may be free.
    this.wake(0);
    return true;
  }

  get #wantsRows(): boolean {
    return !this.#isDropped && !this.config?.paused && this.#queue.length < LOW_WATER;
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
