/**
 * Delivery statistics for the console's charts: counts per minute, and the last attempt to each
 * midoffice. They are collected in memory and added to the store every few seconds, where the counts of
 * all nodes add up. A crash loses only those few seconds of the charts.
 */
import { type BatchedWrites, startBatchedWrites } from '../base/batched-writes.ts';
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Settled } from './queue.ts';
import type { AttemptedState } from './states.ts';

export const MINUTE_MS = 60_000;
const FLUSH_MS = 2_000;
/** Rows in one statement; PostgreSQL allows 65,535 parameters. */
const ROWS_AT_ONCE = 1_000;

/** What it needs from the store. */
export interface MinuteStats {
  /** Adds to what other nodes have counted in the same minutes. */
  addMinutes(rows: readonly MinuteStat[]): Promise<void>;
  /** Replaces those that began earlier. */
  writeLastAttempts(rows: readonly LastAttempt[]): Promise<void>;
}

export interface MinuteStat {
  minute: number;
  delivered: number;
  failed_attempts: number;
  exhausted: number;
}

/** Besides the attempt itself. */
const ALSO_COUNTED: Record<AttemptedState, keyof MinuteStat | undefined> = {
  exhausted: 'exhausted',
  pending: undefined,
  delivered: undefined,
  cancelled: undefined,
};

export interface LastAttempt {
  midoffice_id: string;
  delivery_seq: number;
  number: number;
  started_at: number;
}

interface Batch {
  minutes: readonly MinuteStat[];
  lastAttempts: readonly LastAttempt[];
}

export interface DeliveryStats extends Pick<BatchedWrites<Batch>, 'flush' | 'stop'> {
  note(settled: Settled): void;
}

export function startDeliveryStats(parts: {
  environment: EnvironmentName;
  store: { readonly minuteStats: MinuteStats };
  clock: Clock;
  log: Log;
}): DeliveryStats {
  const { environment, clock, log } = parts;
  const { minuteStats } = parts.store;
  const minutes = new Map<number, MinuteStat>();
  const lastAttempts = new Map<string, LastAttempt>();
  const taken: Batch[] = [];
  let rowsTaken = 0;

  function countsOf(nowMs: number): MinuteStat {
    const minute = nowMs - (nowMs % MINUTE_MS);
    let counts = minutes.get(minute);
    if (!counts) {
      counts = { minute, delivered: 0, failed_attempts: 0, exhausted: 0 };
      minutes.set(minute, counts);
    }
    return counts;
  }

  /** What an earlier flush left, and what has been counted up to now. */
  function* batches(): Generator<Batch> {
    // Sorted, so that two nodes that write at the same time cannot deadlock.
    const last = [...lastAttempts.values()].sort((a, b) =>
      a.midoffice_id < b.midoffice_id ? -1 : 1,
    );
    let counted = [...minutes.values()].sort((a, b) => a.minute - b.minute);
    lastAttempts.clear();
    minutes.clear();
    rowsTaken += last.length;
    for (let i = 0; i < last.length; i += ROWS_AT_ONCE) {
      taken.push({ minutes: counted, lastAttempts: last.slice(i, i + ROWS_AT_ONCE) });
      counted = [];
    }
    for (let batch = taken.shift(); batch; batch = taken.shift()) yield batch;
  }

  const { flush, stop } = startBatchedWrites<Batch>({
    what: 'the count of deliveries',
    environment,
    everyMs: FLUSH_MS,
    batches,
    async write(batch) {
      await minuteStats.writeLastAttempts(batch.lastAttempts);
      // Last, because it adds up: a batch that failed is written again.
      if (batch.minutes.length > 0) await minuteStats.addMinutes(batch.minutes);
    },
    written(batch) {
      rowsTaken -= batch.lastAttempts.length;
    },
    waiting: () => lastAttempts.size + rowsTaken,
    clock,
    log,
  });

  return {
    note({ settlement: { due, attempt }, state }) {
      const counts = countsOf(clock.now());
      if (attempt.outcome === 'delivered') counts.delivered++;
      else counts.failed_attempts++;
      const also = ALSO_COUNTED[state];
      if (also) counts[also]++;
      lastAttempts.set(due.midoffice_id, {
        midoffice_id: due.midoffice_id,
        delivery_seq: due.seq,
        number: attempt.number,
        started_at: attempt.started_at,
      });
    },
    flush,
    stop,
  };
}
