/**
 * Due → Signed → Attempted. An attempt begins only while this node owns the lane. Ownership is checked
 * again before the request is written, because the process may freeze at any moment in between.
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import type { Guard, Poster } from '../receiver/post.ts';
import type { AttemptRecord } from './attempt.ts';
import { recordOf, recordOfUnsigned } from './attempt-record.ts';
import { beginAttemptSpan, endAttemptSpan, headersWithTrace } from './attempt-spans.ts';
import type { Signer } from './sign.ts';
import type { Attempted, Due, LaneConfig, Signed } from './stages.ts';
import { takeOut } from './take-out.ts';

export interface AttemptsParts {
  sign: Signer;
  poster: Poster;
  clock: Clock;
  log: Log;
  tracer?: Tracer | undefined;
  isOurs(due: Due): boolean;
}

interface InFlight extends Guard {
  due: Due;
}

export class Attempts {
  readonly #parts: AttemptsParts;
  /** By shard. A node that lost a shard and got it back may have two attempts of one delivery. */
  readonly #inFlight = new Map<number, InFlight[]>();
  #count = 0;

  constructor(parts: AttemptsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#count;
  }

  /** How many of each shard; a shard without any is left out. */
  get byShard(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const [shard, { length }] of this.#inFlight) if (length > 0) counts.set(shard, length);
    return counts;
  }

  has(seq: number): boolean {
    for (const some of this.#inFlight.values()) {
      if (some.some(({ due }) => due.seq === seq)) return true;
    }
    return false;
  }

  /**
   * It stays in flight until `end`. Undefined if it was broken off: then there is no outcome to record, and the lane's
   * owner repeats it. `onSent` is called when the webhook is on its way, if it ever is.
   */
  async make(due: Due, lane: LaneConfig, onSent: () => void): Promise<Attempted | undefined> {
    const { poster, clock, tracer, isOurs } = this.#parts;
    const inFlight: InFlight = { due, isWanted: () => isOurs(due), onSent };
    this.#add(inFlight);
    const startedAtMs = clock.now();
    const signed = this.#sign(due, lane);
    if (!signed) return this.#attempted(due, recordOfUnsigned(due, lane, startedAtMs));
    const span = tracer && beginAttemptSpan(tracer, due);
    const headers = headersWithTrace(signed, span);
    const { request, body, identity } = signed;
    const outcome = await poster.post(request.url, headers, body, {
      guard: inFlight,
      identity,
      onNewConnection: due.onNewConnection,
    });
    if (outcome.kind === 'failed' && outcome.code === 'aborted') return undefined;
    if (tracer && span) endAttemptSpan(tracer, span, signed, outcome);
    return this.#attempted(due, recordOf(signed, outcome, startedAtMs));
  }

  /** The attempt was settled, or will never be. */
  end(due: Due): void {
    const some = this.#inFlight.get(due.shard) ?? [];
    const at = some.findIndex((one) => one.due === due);
    if (at < 0) return;
    takeOut(some, at);
    this.#count--;
  }

  /** This node no longer owns these shards; another node may repeat their attempts in a moment. */
  breakOff(shards: ReadonlySet<number>): void {
    for (const shard of shards) {
      for (const { breakOff } of [...(this.#inFlight.get(shard) ?? [])]) breakOff?.();
    }
  }

  #add(inFlight: InFlight): void {
    const { shard } = inFlight.due;
    const some = this.#inFlight.get(shard);
    if (some) some.push(inFlight);
    else this.#inFlight.set(shard, [inFlight]);
    this.#count++;
  }

  /** Undefined if signing failed because the sealed key cannot be opened. That counts as an attempt. */
  #sign(due: Due, lane: LaneConfig): Signed | undefined {
    try {
      return this.#parts.sign(due, lane);
    } catch (error) {
      this.#parts.log.error({ err: error, delivery: due.seq }, 'a webhook could not be signed');
      return undefined;
    }
  }

  #attempted(due: Due, attempt: AttemptRecord): Attempted {
    return { due, attempt, endedAtMs: this.#parts.clock.now() };
  }
}
