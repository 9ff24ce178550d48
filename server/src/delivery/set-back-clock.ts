/**
 * Notices that the clock was set back, by an operator or by NTP. What was due by the old time would wait for as long as
 * the clock was set back, so it has to be pulled forward. It may also have been set back while nobody owned a shard, so
 * that counts for each shard that was just gained.
 *
 *     set back, or gained ──→ owed ──pulled forward──→ done
 *                              ↑ └── failed ──┐
 *                              └──── a second ┘
 */
import { type Clock, repeat, type Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Coalesced } from './coalesced.ts';
import type { DeliveryQueue } from './queue.ts';

const EVERY_MS = 1_000;
/** Less than this is within what retries are late anyway. */
const LEAST_STEP_MS = 1_000;

export interface SetBackClockParts {
  queue: Pick<DeliveryQueue, 'pullForward'>;
  schedule: readonly number[];
  clock: Clock;
  log: Log;
  ownShards(): readonly number[];
  /** Deliveries of the midoffice are due earlier than what was read says. */
  pulled(midofficeId: string): void;
}

export class SetBackClock {
  readonly #parts: SetBackClockParts;
  /** Shards whose deliveries may wait for too long. */
  readonly #owed = new Set<number>();
  readonly #run = new Coalesced(() => this.#pullForward());
  #watch: Timer | undefined;
  /** The log says once that it was set back, and once that deliveries cannot follow. */
  #setBackMs = 0;
  #hasFailed = false;
  #isStopped = false;

  constructor(parts: SetBackClockParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock, ownShards } = this.#parts;
    const ahead = () => clock.now() - clock.monotonic();
    let before = ahead();
    this.#watch = repeat(clock, EVERY_MS, async () => {
      const byMs = before - ahead();
      before = ahead();
      if (byMs >= LEAST_STEP_MS) {
        this.#setBackMs += byMs;
        this.owe(ownShards());
      } else if (this.#owed.size > 0) {
        this.#run.ask();
      }
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#watch?.cancel();
  }

  owe(shards: readonly number[]): void {
    for (const shard of shards) this.#owed.add(shard);
    this.#run.ask();
  }

  async #pullForward(): Promise<void> {
    const { log, ownShards } = this.#parts;
    for (const shard of [...this.#owed]) {
      if (this.#isStopped) return;
      // Before it is read, because the clock may be set back again meanwhile.
      this.#owed.delete(shard);
      // Otherwise its next owner owes it.
      if (ownShards().includes(shard) && !(await this.#pullShard(shard))) {
        this.#owed.add(shard);
        return;
      }
    }
    if (this.#owed.size > 0) return;
    this.#hasFailed = false;
    if (this.#setBackMs === 0) return;
    const set_back_ms = this.#setBackMs;
    this.#setBackMs = 0;
    log.warn({ set_back_ms }, 'the clock was set back; pending deliveries follow it');
  }

  /** Returns false if it failed, or was stopped. */
  async #pullShard(shard: number): Promise<boolean> {
    const { queue, schedule, clock, log, pulled } = this.#parts;
    try {
      for await (const ids of queue.pullForward(shard, schedule, clock.now())) {
        if (this.#isStopped) return false;
        for (const id of ids) pulled(id);
      }
      return true;
    } catch (error) {
      if (!this.#isStopped && !this.#hasFailed) {
        log.warn({ err: error }, 'pending deliveries cannot follow the clock; trying again');
      }
      this.#hasFailed = true;
      return false;
    }
  }
}
