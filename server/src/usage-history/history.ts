/**
 * Writes the counts of calls to the database every few seconds and when the process stops. There, the counts
 * of all nodes add up. A crash loses only what was counted since the last write. While the database is away,
 * the counts wait in memory, and no call notices.
 */
import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { UsageCounts, type UsageRecord } from './counts.ts';

export const WRITE_EVERY_MS = 10_000;
/**
 * Measured for so many: copying them to the other thread takes that of the partner API 0.15 ms, and writing
 * them to SQLite holds up the services thread for 2 ms.
 */
export const RECORDS_AT_ONCE = 100;
/** A stop must not take long. What is left is lost, as in a crash. */
const STOP_WITHIN_MS = 3_000;

export interface UsageBatch {
  /** This process, and the number of the batch: a batch that arrives twice is counted once. */
  writer: string;
  number: number;
  records: readonly UsageRecord[];
}

/** Resolves once the batch is written. */
export type WriteUsage = (batch: UsageBatch) => Promise<void>;

/** What it needs from the store. */
export interface UsageStore {
  add(batch: UsageBatch): Promise<void>;
}

export interface UsageHistory {
  readonly counts: UsageCounts;
  /** From now on, another thread writes, so that this one does not wait for the disk. */
  writeThrough(write: WriteUsage): void;
  /** Writes what has been counted. The timer calls it too. */
  flush(): Promise<void>;
  /** Writes the rest in this thread. Never rejects: a stop does not fail because of it. */
  stop(): Promise<void>;
}

export function startUsageHistory(parts: {
  environment: EnvironmentName;
  store: UsageStore;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  mostRecords?: number;
}): UsageHistory {
  const { environment, store, clock, log, metrics, mostRecords } = parts;
  const dropped = metrics.counter(
    'bellhop_usage_calls_dropped_total',
    'Calls missing from the usage history because too many counts were waiting to be written.',
    { environment },
  );
  const counts = new UsageCounts(clock, {
    ...(mostRecords !== undefined && { mostRecords }),
    onDropped: () => dropped.add(),
  });
  metrics.gauge(
    'bellhop_usage_records',
    'Counts of the usage history that are in memory, one for each key, endpoint and hour.',
    { environment },
    () => counts.records,
  );
  const writer = randomUUID();
  let number = 1;
  let write: WriteUsage = (batch) => store.add(batch);
  let taken: Iterator<UsageRecord> | undefined;
  /** It stays the same until it is written, so that a second try cannot count anything twice. */
  let records: UsageRecord[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let isFailing = false;
  let isStopped = false;
  let timer = schedule();

  function schedule(): Timer {
    return clock.after(WRITE_EVERY_MS, async () => {
      await flush();
      if (!isStopped) timer = schedule();
    });
  }

  /** What an earlier try left, then what has been counted up to now. */
  async function writeAll(deadlineMs: number): Promise<void> {
    let isLast = false;
    while (clock.monotonic() < deadlineMs) {
      if (records.length === 0) {
        if (!taken) {
          if (isLast) return;
          taken = counts.take();
          isLast = true;
        }
        records = nextOf(taken);
        if (records.length === 0) {
          taken = undefined;
          continue;
        }
      }
      await write({ writer, number, records });
      counts.release(records.length);
      records = [];
      number++;
    }
    throw new Error('The stop took too long.');
  }

  /** Flushes run one after another; a second call also waits for the first. */
  function flush(deadlineMs = Number.POSITIVE_INFINITY): Promise<void> {
    flushing = flushing.then(async () => {
      if (counts.records === 0) return;
      try {
        await writeAll(deadlineMs);
        if (isFailing) log.info({ environment }, 'the usage history is written again');
        isFailing = false;
      } catch (error) {
        if (!isFailing) {
          log.warn(
            { environment, err: error },
            'the usage history cannot be written; trying again',
          );
        }
        isFailing = true;
      }
    });
    return flushing;
  }

  return {
    counts,
    writeThrough(through) {
      write = through;
    },
    flush: () => flush(),
    async stop() {
      isStopped = true;
      timer.cancel();
      await flushing;
      // The other thread may have stopped already.
      write = (batch) => store.add(batch);
      await flush(clock.monotonic() + STOP_WITHIN_MS);
      if (counts.records > 0) {
        log.warn({ environment, records: counts.records }, 'counts of the usage history are lost');
      }
    },
  };
}

function nextOf(taken: Iterator<UsageRecord>): UsageRecord[] {
  const records: UsageRecord[] = [];
  while (records.length < RECORDS_AT_ONCE) {
    const { value, done } = taken.next();
    if (done) break;
    records.push(value);
  }
  return records;
}
