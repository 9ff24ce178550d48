/**
 * Lists the midoffices that have work: in shards that were just taken over, after notices were lost, and
 * from time to time as a safety net.
 */
import type { Clock, Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DeliveryQueue } from './queue.ts';

const EVERY_MS = 10_000;
/** After a sweep that took long, the next one waits this many times as long. */
const REST = 20;
const RETRY_AFTER_FAULT_MS = 500;

export interface SweepParts {
  queue: Pick<DeliveryQueue, 'workOf' | 'freeStranded'>;
  clock: Clock;
  /** Real time, like the leases. */
  timers: Clock;
  log: Log;
  ownShards(): readonly number[];
  /** The midoffice has work that is due from this time on. */
  found(midofficeId: string, nextDueAtMs: number): void;
}

export class Sweep {
  readonly #parts: SweepParts;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#schedule(EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Returns false if it failed; it is then repeated soon. */
  async through(shards: readonly number[]): Promise<boolean> {
    const { queue, log, found } = this.#parts;
    try {
      for (const { midofficeId, nextDueAtMs } of await queue.workOf(shards)) {
        if (nextDueAtMs !== null) found(midofficeId, nextDueAtMs);
      }
      await this.#freeStranded(shards);
      return true;
    } catch (error) {
      if (this.#isStopped) return false;
      log.warn({ err: error }, 'pending deliveries cannot be listed; trying again');
      this.#schedule(RETRY_AFTER_FAULT_MS);
      return false;
    }
  }

  /** One shard at a time, because it reads every parked row. */
  async #freeStranded(shards: readonly number[]): Promise<void> {
    const { queue, clock, log } = this.#parts;
    for (const shard of shards) {
      const lanes = await queue.freeStranded(shard, clock.now());
      if (lanes.length === 0) continue;
      log.error({ midoffices: lanes }, 'deliveries that were parked behind nothing were freed');
      for (const midofficeId of lanes) this.#parts.found(midofficeId, clock.now());
    }
  }

  #schedule(inMs: number): void {
    const { timers, ownShards } = this.#parts;
    this.#timer?.cancel();
    this.#timer = timers.after(inMs, async () => {
      // Before the sweep, because a sweep that fails schedules an earlier one.
      this.#schedule(EVERY_MS);
      const startedMs = timers.monotonic();
      const isDone = await this.through(ownShards());
      const restMs = REST * (timers.monotonic() - startedMs);
      if (isDone && restMs > EVERY_MS && !this.#isStopped) this.#schedule(restMs);
    });
  }
}
