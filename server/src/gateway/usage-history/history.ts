/**
 * Writes the counts of calls to the database every few seconds and when the process stops. There, the counts
 * of all nodes add up. A crash loses only what was counted since the last write. While the database is away,
 * the counts wait in memory, and no call notices.
 */
import { randomUUID } from 'node:crypto';
import { type BatchedWrites, startBatchedWrites } from '../../base/batched-writes.ts';
import type { Clock } from '../../base/clock.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Log } from '../../base/log.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { ApiKeyUse } from './api-key-uses.ts';
import { UsageCounts, type UsageRecord } from './counts.ts';

export const WRITE_EVERY_MS = 10_000;
/**
 * Measured for so many: copying them to the other thread takes that of the partner API 0.15 ms, and writing
 * them to SQLite holds up the services thread for 2 ms.
 */
export const RECORDS_AT_ONCE = 100;

export interface UsageBatch {
  /** This process, and the number of the batch: a batch that arrives twice is counted once. */
  writer: string;
  number: number;
  records: readonly UsageRecord[];
  apiKeys: readonly ApiKeyUse[];
}

/** What it needs from the store. */
export interface UsageStore {
  add(batch: UsageBatch): Promise<void>;
}

export interface UsageHistory extends BatchedWrites<UsageBatch> {
  readonly counts: UsageCounts;
}

export function startUsageHistory(parts: {
  environment: EnvironmentName;
  store: UsageStore;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  mostRecords?: number;
  everyMs?: number | undefined;
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
  let number = 0;
  let taken: Taken | undefined;

  /** What an earlier flush left, then what has been counted up to now. */
  function* batches(): Generator<UsageBatch> {
    if (taken) yield* batchesOf(taken);
    taken = { records: counts.take(), apiKeys: counts.apiKeys.take() };
    yield* batchesOf(taken);
    taken = undefined;
  }

  function* batchesOf({ records, apiKeys }: Taken): Generator<UsageBatch> {
    for (;;) {
      const next = { records: nextOf(records), apiKeys: nextOf(apiKeys) };
      if (next.records.length === 0 && next.apiKeys.length === 0) return;
      number++;
      yield { writer, number, ...next };
    }
  }

  const writes = startBatchedWrites<UsageBatch>({
    what: 'the usage history',
    environment,
    everyMs: parts.everyMs ?? WRITE_EVERY_MS,
    batches,
    write: (batch) => store.add(batch),
    written: ({ records, apiKeys }) => {
      counts.release(records.length);
      counts.apiKeys.release(apiKeys.length);
    },
    waiting: () => counts.records + counts.apiKeys.waiting,
    clock,
    log,
  });
  return { counts, ...writes };
}

interface Taken {
  records: Iterator<UsageRecord>;
  apiKeys: Iterator<ApiKeyUse>;
}

function nextOf<Item>(taken: Iterator<Item>): Item[] {
  const items: Item[] = [];
  while (items.length < RECORDS_AT_ONCE) {
    const { value, done } = taken.next();
    if (done) break;
    items.push(value);
  }
  return items;
}
