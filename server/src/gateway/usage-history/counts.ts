/**
 * The calls of the current hour, counted in memory: one record for each key and endpoint that was called.
 * A call costs two look-ups and a few additions. A record is allocated when a key calls an endpoint for the
 * first time since the counts were last written, so most calls allocate nothing.
 */
import type { Clock } from '../../base/clock.ts';
import { ApiKeyUses } from './api-key-uses.ts';

/** The two steps of the history, both in UTC, and how long each is kept. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

export const usageSteps = ['hour', 'day'] as const;
export type UsageStep = (typeof usageSteps)[number];

export const stepMs: Record<UsageStep, number> = { hour: HOUR_MS, day: DAY_MS };

/** Also the longest span that one request may ask for. 762 days are 25 months, whichever they are. */
export const keptMs: Record<UsageStep, number> = { hour: 90 * DAY_MS, day: 762 * DAY_MS };

/** Steps begin at whole hours and at midnight in UTC, as the milliseconds since 1970 do. */
export function startOfStep(ms: number, step: UsageStep): number {
  return ms - (ms % stepMs[step]);
}

/** About 20 MB. If the database is away for so long that more are needed, further keys are not counted. */
export const MOST_RECORDS = 100_000;

export interface UsageRecord {
  readonly keyId: string;
  readonly endpoint: string;
  readonly hourMs: number;
  /** Of its last call, at most the ten seconds late that pass between two writes. */
  lastMs: number;
  /** Calls that the limit let in, or that had no limit. */
  admitted: number;
  /** Calls refused because the limit was used up. */
  refused: number;
  /** Calls that ended with a 5xx status or without a complete reply. */
  failed: number;
  /** The most calls that counted in one window, and their share of the limit; null without a limit. */
  peakCalls: number | null;
  peakShare: number | null;
}

interface Hour {
  startMs: number;
  endMs: number;
  /** Endpoints come first because there are few of them. */
  byEndpoint: Map<string, Map<string, UsageRecord>>;
}

export class UsageCounts {
  readonly apiKeys: ApiKeyUses;
  readonly #clock: Clock;
  readonly #mostRecords: number;
  readonly #onDropped: () => void;
  #hour: Hour;
  /** Hours that are over and have not been taken yet. */
  #ended: Hour[] = [];
  #records = 0;

  constructor(
    clock: Clock,
    options: {
      mostRecords?: number;
      /** A call could not be counted. */
      onDropped?: () => void;
    } = {},
  ) {
    this.apiKeys = new ApiKeyUses(clock);
    this.#clock = clock;
    this.#mostRecords = options.mostRecords ?? MOST_RECORDS;
    this.#onDropped = options.onDropped ?? (() => {});
    this.#hour = hourAt(clock.now());
  }

  /** Records in memory, including those that were taken and not released. */
  get records(): number {
    return this.#records;
  }

  /** The record to add a call to; undefined if there are too many records. */
  of(keyId: string, endpoint: string): UsageRecord | undefined {
    const nowMs = this.#clock.now();
    // The wall clock may also have been set back.
    if (nowMs >= this.#hour.endMs || nowMs < this.#hour.startMs) this.#startHour(nowMs);
    return this.#hour.byEndpoint.get(endpoint)?.get(keyId) ?? this.#begin(keyId, endpoint);
  }

  /** Hands over everything counted so far. The records count towards the bound until they are released. */
  take(): Iterator<UsageRecord> {
    const nowMs = this.#clock.now();
    this.#startHour(nowMs);
    const taken = this.#ended;
    this.#ended = [];
    return recordsOf(taken, nowMs);
  }

  /** So many taken records have been written. */
  release(records: number): void {
    this.#records -= records;
  }

  #startHour(nowMs: number): void {
    if (this.#hour.byEndpoint.size > 0) this.#ended.push(this.#hour);
    this.#hour = hourAt(nowMs);
  }

  #begin(keyId: string, endpoint: string): UsageRecord | undefined {
    if (this.#records >= this.#mostRecords) {
      this.#onDropped();
      return undefined;
    }
    this.#records++;
    const { byEndpoint, startMs: hourMs } = this.#hour;
    let byKey = byEndpoint.get(endpoint);
    if (!byKey) {
      byKey = new Map();
      byEndpoint.set(endpoint, byKey);
    }
    const record: UsageRecord = {
      keyId,
      endpoint,
      hourMs,
      lastMs: hourMs,
      admitted: 0,
      refused: 0,
      failed: 0,
      peakCalls: null,
      peakShare: null,
    };
    byKey.set(keyId, record);
    return record;
  }
}

function hourAt(nowMs: number): Hour {
  const startMs = startOfStep(nowMs, 'hour');
  return { startMs, endMs: startMs + HOUR_MS, byEndpoint: new Map() };
}

function* recordsOf(hours: readonly Hour[], nowMs: number): Generator<UsageRecord> {
  for (const { byEndpoint, endMs } of hours) {
    const lastMs = Math.min(nowMs, endMs - 1);
    for (const byKey of byEndpoint.values()) {
      for (const record of byKey.values()) {
        record.lastMs = lastMs;
        yield record;
      }
    }
  }
}
