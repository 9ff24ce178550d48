/**
 * Attempted → settled. Outcomes that arrive together are written in one batch. While the database refuses
 * them, they are kept and retried, and no new attempts begin: after a crash, every attempt that is not
 * recorded is repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Coalesced } from './coalesced.ts';
import type { DeliveryQueue, Settled } from './queue.ts';
import { settlementOf } from './schedule.ts';
import type { Attempted, Settlement } from './stages.ts';

const RETRY_AFTER_FAULT_MS = 500;
const MOST_AT_ONCE = 500;
/** With this many outcomes waiting, no new attempts begin. */
const MOST_WAITING = 500;
/**
 * After a batch of this size, the next batch is gathered for a moment, because a commit writes each page
 * once for the whole batch. The embedded engine did 9,000 deliveries a second with 1 ms, 14,000 with 4 ms.
 */
const GATHER_FROM = 8;
const GATHER_MS = 4;

export interface SettlingParts {
  queue: Pick<DeliveryQueue, 'settle' | 'synced'>;
  schedule: readonly number[];
  clock: Clock;
  log: Log;
  /** `isFull` is false again. */
  eased(): void;
}

export interface Written {
  settled: Settled;
  /** Whether it would survive a power cut, once that is known. */
  synced: Promise<boolean>;
}

interface Waiting {
  attempted: Attempted;
  resolve(written: Written | undefined): void;
}

export class Settling {
  readonly #parts: SettlingParts;
  readonly #waiting: Waiting[] = [];
  /** The batch that is being written. */
  #writing: readonly Settlement[] = [];
  readonly #run = new Coalesced(() => this.#settle());
  #syncing = 0;
  #isStuck = false;
  /** A caller saw `isFull` and waits for `eased`. */
  #wasFull = false;
  #lastBatch = 0;
  #isGivenUp = false;

  constructor(parts: SettlingParts) {
    this.#parts = parts;
  }

  /** No attempt may begin: the database refuses outcomes or cannot keep up with them. */
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

  /** Undefined if the shard has another owner, so that nothing was written. */
  settle(attempted: Attempted): Promise<Written | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ attempted, resolve });
      this.#run.ask();
    });
  }

  /**
   * What is not known to be written. What waits is not settled any more; the batch under way goes on, and finds that
   * its shards have other epochs.
   */
  giveBack(): Settlement[] {
    const { schedule } = this.#parts;
    const waiting = this.#waiting.splice(0);
    for (const { resolve } of waiting) resolve(undefined);
    this.#isStuck = false;
    this.#ease();
    return [...this.#writing, ...waiting.map(({ attempted }) => settlementOf(attempted, schedule))];
  }

  /** At the end of a stop. Attempts that are not recorded by now are repeated by another node. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  async #settle(): Promise<void> {
    const { queue, schedule, clock, log } = this.#parts;
    if (this.#lastBatch >= GATHER_FROM) await sleep(GATHER_MS);
    const batch = this.#takeOneOfEach();
    this.#lastBatch = batch.length;
    if (batch.length === 0 || this.#isGivenUp) return;
    try {
      const settlements = batch.map(({ attempted }) => settlementOf(attempted, schedule));
      this.#writing = settlements;
      const written = queue.settle(settlements, clock.now());
      const results = written instanceof Promise ? await written : written;
      // An order's next event must not be sent while a power cut could still repeat the previous one.
      if (settlements.some(({ due }) => due.order_key !== null)) await queue.synced();
      this.#isStuck = false;
      const settledOf = new Map(results.map((one) => [one.settlement.due, one]));
      const synced = this.#synced();
      for (const { attempted, resolve } of batch) {
        const settled = settledOf.get(attempted.due);
        resolve(settled && { settled, synced });
        if (settled) continue;
        const delivery = attempted.due.seq;
        log.warn({ delivery }, 'the shard has another owner; an outcome was discarded');
      }
    } catch (error) {
      log.warn({ err: error }, 'attempts cannot be recorded; trying again');
      this.#isStuck = true;
      this.#waiting.unshift(...batch);
      await sleep(RETRY_AFTER_FAULT_MS);
    } finally {
      this.#writing = [];
    }
    if (this.#waiting.length > 0) this.#run.ask();
    this.#ease();
  }

  #ease(): void {
    if (!this.#wasFull || this.#isStuck || this.#waiting.length >= MOST_WAITING) return;
    this.#wasFull = false;
    this.#parts.eased();
  }

  /** Slots are freed before the sync; otherwise receivers would idle while the disk works. */
  async #synced(): Promise<boolean> {
    this.#syncing++;
    try {
      await this.#parts.queue.synced();
      return true;
    } catch (error) {
      this.#parts.log.error(
        { err: error },
        'recorded attempts may not survive a power cut; check the disk',
      );
      this.#isStuck = true;
      return false;
    } finally {
      this.#syncing--;
    }
  }

  /** Two outcomes of one delivery go into separate batches, so that the queue can tell which is void. */
  #takeOneOfEach(): Waiting[] {
    const seqs = new Set<number>();
    const taken: Waiting[] = [];
    const rest: Waiting[] = [];
    for (const one of this.#waiting.splice(0)) {
      const { seq } = one.attempted.due;
      if (seqs.has(seq) || taken.length === MOST_AT_ONCE) rest.push(one);
      else taken.push(one);
      seqs.add(seq);
    }
    this.#waiting.push(...rest);
    return taken;
  }
}
