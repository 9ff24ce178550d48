/**
 * Due → Signed → Attempted. An attempt begins only while this node owns the lane, and what it sends is
 * written only if it still does: a process may stand still at any moment in between.
 */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Guard, Poster } from '../receiver/post.ts';
import { recordOf, recordOfUnsigned } from './attempt-record.ts';
import type { Signer } from './sign.ts';
import type { Attempted, AttemptRecord, Due, LaneConfig, Signed } from './stages.ts';

export interface AttemptsParts {
  sign: Signer;
  poster: Poster;
  clock: Clock;
  log: Log;
  isOurs(due: Due): boolean;
  /** To be settled; it is in flight until then. */
  attempted(attempted: Attempted): void;
  /** No result and nothing recorded; the lane's owner will attempt it again. */
  brokenOff(due: Due): void;
}

interface UnderWay extends Guard {
  due: Due;
}

export class Attempts {
  readonly #parts: AttemptsParts;
  /** Not by its number: a node that lost a shard and got it back may have two attempts of one delivery. */
  readonly #underWay = new Map<Due, UnderWay>();
  readonly #byShard = new Map<number, number>();

  constructor(parts: AttemptsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#underWay.size;
  }

  get byShard(): ReadonlyMap<number, number> {
    return this.#byShard;
  }

  has(seq: number): boolean {
    for (const due of this.#underWay.keys()) if (due.seq === seq) return true;
    return false;
  }

  async begin(due: Due, lane: LaneConfig): Promise<void> {
    const { poster, clock, isOurs, brokenOff } = this.#parts;
    const underWay: UnderWay = { due, isWanted: () => isOurs(due) };
    this.#underWay.set(due, underWay);
    this.#byShard.set(due.shard, (this.#byShard.get(due.shard) ?? 0) + 1);
    const startedAtMs = clock.now();
    const signed = this.#sign(due, lane);
    if (!signed) {
      this.#attempted(due, recordOfUnsigned(due, lane, startedAtMs));
      return;
    }
    const outcome = await poster.post(signed.url, signed.headers, signed.body, underWay);
    if (outcome.kind === 'failed' && outcome.code === 'aborted') {
      this.end(due);
      brokenOff(due);
      return;
    }
    this.#attempted(due, recordOf(signed, outcome, startedAtMs));
  }

  /** Settled, or given up. */
  end(due: Due): void {
    if (!this.#underWay.delete(due)) return;
    const left = (this.#byShard.get(due.shard) ?? 1) - 1;
    if (left > 0) this.#byShard.set(due.shard, left);
    else this.#byShard.delete(due.shard);
  }

  /** The node no longer owns these shards; another may be attempting the same in a moment. */
  breakOff(shards: ReadonlySet<number>): void {
    for (const { due, breakOff } of [...this.#underWay.values()]) {
      if (shards.has(due.shard)) breakOff?.();
    }
  }

  /** Undefined if it cannot be signed (a sealed key that does not open), which is an attempt too. */
  #sign(due: Due, lane: LaneConfig): Signed | undefined {
    try {
      return this.#parts.sign(due, lane);
    } catch (error) {
      this.#parts.log.error({ err: error, delivery: due.seq }, 'a webhook could not be signed');
      return undefined;
    }
  }

  #attempted(due: Due, attempt: AttemptRecord): void {
    this.#parts.attempted({ due, attempt, endedAtMs: this.#parts.clock.now() });
  }
}
