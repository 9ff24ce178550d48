/**
 * The time of the database, for everything that nodes share through it: when a delivery is due, when a key
 * expires, what a webhook is signed with. By their own clocks, a node whose clock is an hour behind would keep
 * the others' deliveries for an hour.
 *
 * Each answer of the database narrows down how far its clock is from our monotonic clock: it was read after
 * the question was sent and before the answer came. Within these bounds the machine's clock counts, so nothing
 * changes where the clocks agree.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';

/** How much faster or slower the database's clock may run than our monotonic clock. */
const DRIFT = 1e-4;
/** A receiver refuses webhooks that are 15 s off, and people compare logs. */
const WORTH_A_WARNING_MS = 5_000;

export interface TimeSample {
  /** On the monotonic clock. */
  askedMs: number;
  answeredMs: number;
  /** What the database's clock said in between. */
  databaseMs: number;
}

export class DatabaseClock implements Clock {
  readonly #machine: Clock;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  /** The database's time less our monotonic time is at least and at most this. */
  #leastMs = Number.NEGATIVE_INFINITY;
  #mostMs = Number.POSITIVE_INFINITY;
  #learnedMs = 0;
  #hasWarned = false;

  constructor(machine: Clock, log: Pick<Log, 'info' | 'warn'>) {
    this.#machine = machine;
    this.#log = log;
  }

  now(): number {
    const passedMs = this.#machine.monotonic();
    const leastMs = passedMs + this.#leastMs;
    const mostMs = passedMs + this.#mostMs;
    return Math.floor(Math.min(Math.max(this.#machine.now(), leastMs), mostMs));
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#machine.after(delayMs, run);
  }

  learn({ askedMs, answeredMs, databaseMs }: TimeSample): void {
    const leastMs = databaseMs - answeredMs;
    const mostMs = databaseMs - askedMs;
    const driftMs = (answeredMs - this.#learnedMs) * DRIFT;
    this.#leastMs = Math.max(leastMs, this.#leastMs - driftMs);
    this.#mostMs = Math.min(mostMs, this.#mostMs + driftMs);
    // The clock of the database was set, or another database answers.
    if (this.#leastMs > this.#mostMs) [this.#leastMs, this.#mostMs] = [leastMs, mostMs];
    this.#learnedMs = answeredMs;
    this.#compare();
  }

  /** Bellhop does without the machine's clock, but something is wrong with it, or with the database's. */
  #compare(): void {
    const offMs = this.#machine.now() - this.now();
    const isOff = Math.abs(offMs) >= WORTH_A_WARNING_MS;
    if (isOff === this.#hasWarned) return;
    this.#hasWarned = isOff;
    if (isOff) {
      this.#log.warn(
        { off_ms: offMs },
        'the clocks of this machine and of the database differ; Bellhop uses that of the database. Check both against NTP',
      );
    } else {
      this.#log.info('the clocks of this machine and of the database agree again');
    }
  }
}
