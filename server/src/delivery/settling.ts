/**
 * Attempted → settled. Outcomes that come in together are one batch. While the database refuses them
 * they are kept and tried again, and nothing new begins: what was attempted but not recorded would be
 * attempted once more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { Coalesced } from './coalesced.ts';
import type { DeliveryQueue, Settled } from './queue.ts';
import { settlementOf } from './schedule.ts';
import type { Attempted, Due } from './stages.ts';

const RETRY_AFTER_FAULT_MS = 500;
const MOST_AT_ONCE = 500;
/** More than this many and nothing new begins: a crash repeats what is not recorded. */
const MOST_WAITING = 500;
/**
 * After a batch of this size the next one is gathered for a moment: a commit writes each page once for
 * all of them. With 1 ms the embedded engine did 9,000 deliveries a second, with 4 ms 14,000.
 */
const GATHER_FROM = 8;
const GATHER_MS = 4;

export interface SettlingParts {
  queue: Pick<DeliveryQueue, 'settle' | 'synced'>;
  schedule: readonly number[];
  clock: Clock;
  log: Log;
  /** Written; the lane may go on. */
  settled(settled: Settled): void;
  /** The shard has another owner, and nothing was written. */
  fenced(due: Due): void;
  /** It would survive a power cut as well: log line, metrics, alerts. */
  record(settled: Settled): void;
  /** It takes on more again. */
  eased(): void;
}

export class Settling {
  readonly #parts: SettlingParts;
  readonly #waiting: Attempted[] = [];
  readonly #run = new Coalesced(() => this.#settle());
  #syncing = 0;
  #isStuck = false;
  /** Somebody was told so, and waits to be told otherwise. */
  #wasFull = false;
  #lastBatch = 0;
  #isGivenUp = false;

  constructor(parts: SettlingParts) {
    this.#parts = parts;
  }

  /** Nothing is to begin: the database refuses outcomes, or does not keep up with them. */
  get isFull(): boolean {
    const isFull = this.#isStuck || this.#waiting.length >= MOST_WAITING;
    this.#wasFull ||= isFull;
    return isFull;
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  get isIdle(): boolean {
    const isEmpty = this.#waiting.length === 0 || this.#isGivenUp;
    return this.#syncing === 0 && this.#run.isIdle && isEmpty;
  }

  add(attempted: Attempted): void {
    this.#waiting.push(attempted);
    this.#run.ask();
  }

  /** At the end of a stop: what could not be recorded by now is attempted again by another node. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  async #settle(): Promise<void> {
    const { queue, schedule, clock, log, settled, fenced } = this.#parts;
    if (this.#lastBatch >= GATHER_FROM) await sleep(GATHER_MS);
    const attempted = this.#takeOneOfEach();
    this.#lastBatch = attempted.length;
    if (attempted.length === 0 || this.#isGivenUp) return;
    try {
      const settlements = attempted.map((one) => settlementOf(one, schedule));
      const written = queue.settle(settlements, clock.now());
      const results = written instanceof Promise ? await written : written;
      // An order's next event must not go out while the one before could come to be repeated.
      if (settlements.some(({ due }) => due.orderKey !== null)) await queue.synced();
      this.#isStuck = false;
      const done = new Set(results.map(({ settlement }) => settlement.due));
      for (const one of results) settled(one);
      for (const { due } of settlements) {
        if (done.has(due)) continue;
        log.warn({ delivery: due.seq }, 'the shard has another owner; an outcome was discarded');
        fenced(due);
      }
      void this.#recordOnceSynced(results);
    } catch (error) {
      log.warn({ err: error }, 'attempts cannot be settled yet');
      this.#isStuck = true;
      this.#waiting.unshift(...attempted);
      await sleep(RETRY_AFTER_FAULT_MS);
    }
    if (this.#waiting.length > 0) this.#run.ask();
    if (this.#wasFull && !this.#isStuck && this.#waiting.length < MOST_WAITING) {
      this.#wasFull = false;
      this.#parts.eased();
    }
  }

  /** The slots are free already: waiting for the disk with them would leave receivers idle. */
  async #recordOnceSynced(results: readonly Settled[]): Promise<void> {
    this.#syncing++;
    try {
      await this.#parts.queue.synced();
      for (const one of results) this.#parts.record(one);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'settled attempts may not survive a power cut');
      this.#isStuck = true;
    } finally {
      this.#syncing--;
    }
  }

  /** Of two outcomes of one delivery one is void; apart, the queue can tell which. */
  #takeOneOfEach(): Attempted[] {
    const seqs = new Set<number>();
    const taken: Attempted[] = [];
    const rest: Attempted[] = [];
    for (const one of this.#waiting.splice(0)) {
      if (seqs.has(one.due.seq) || taken.length === MOST_AT_ONCE) rest.push(one);
      else taken.push(one);
      seqs.add(one.due.seq);
    }
    this.#waiting.push(...rest);
    return taken;
  }
}
