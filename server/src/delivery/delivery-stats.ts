/**
 * Delivery statistics for the console's charts: counts per minute, and the last attempt to each
 * midoffice. They are collected in memory and added to the store every few seconds, where the counts of
 * all nodes add up. A crash loses only those few seconds of the charts.
 */
import type { Clock, Timer } from '../base/clock.ts';
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

export interface DeliveryStats {
  note(settled: Settled): void;
  flush(): Promise<void>;
  /** Writes what is left. */
  stop(): Promise<void>;
}

export function startDeliveryStats(parts: {
  store: { readonly minuteStats: MinuteStats };
  clock: Clock;
  log: Log;
}): DeliveryStats {
  const { clock, log } = parts;
  const { minuteStats } = parts.store;
  let minutes = new Map<number, MinuteStat>();
  const lastAttempts = new Map<string, LastAttempt>();
  let timer: Timer | undefined;
  let flushing: Promise<void> = Promise.resolve();
  let stopped = false;

  function countsOf(nowMs: number): MinuteStat {
    const minute = nowMs - (nowMs % MINUTE_MS);
    let counts = minutes.get(minute);
    if (!counts) {
      counts = { minute, delivered: 0, failed_attempts: 0, exhausted: 0 };
      minutes.set(minute, counts);
    }
    return counts;
  }

  async function write(): Promise<void> {
    // Sorted, so that two nodes that write at the same time cannot deadlock.
    const last = [...lastAttempts.values()].sort((a, b) =>
      a.midoffice_id < b.midoffice_id ? -1 : 1,
    );
    for (let i = 0; i < last.length; i += ROWS_AT_ONCE) {
      await minuteStats.writeLastAttempts(last.slice(i, i + ROWS_AT_ONCE));
    }
    for (const row of last) {
      if (lastAttempts.get(row.midoffice_id) === row) lastAttempts.delete(row.midoffice_id);
    }
    const counted = [...minutes.values()].sort((a, b) => a.minute - b.minute);
    minutes = new Map();
    try {
      if (counted.length > 0) await minuteStats.addMinutes(counted);
    } catch (error) {
      for (const row of counted) {
        const counts = countsOf(row.minute);
        counts.delivered += row.delivered;
        counts.failed_attempts += row.failed_attempts;
        counts.exhausted += row.exhausted;
      }
      throw error;
    }
  }

  /** Flushes run one after another; a second call also waits for the first. */
  function flush(): Promise<void> {
    timer?.cancel();
    timer = undefined;
    flushing = flushing.then(write).catch((error) => {
      log.warn({ err: error }, 'statistics for the console cannot be written; trying again');
      schedule();
    });
    return flushing;
  }

  /** Only while there is something to write, so an idle environment costs nothing. */
  function schedule(): void {
    if (timer || stopped) return;
    timer = clock.after(FLUSH_MS, () => void flush());
  }

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
      schedule();
    },
    flush,
    async stop() {
      stopped = true;
      await flush();
    },
  };
}
