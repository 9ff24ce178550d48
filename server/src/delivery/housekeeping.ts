/**
 * Periodic work: alerts about midoffices that have failed for an hour, deletes deliveries that have been
 * settled for longer than the retention, old usage history and old refused calls, and counts pending deliveries. It also
 * stores notices to partners about receivers that fail or work again, and about keys that expire.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, repeat } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { RaiseAlert } from './alerts.ts';

export const FAILING_FOR_MS = 3_600_000;
const EVERY_MS = 30_000;
/** Longer than all tries of an alert take. An older claim belongs to a node that crashed. */
const ALERT_CLAIM_MS = 60_000;
/** The console's longest chart shows a week. */
const MINUTES_KEPT_MS = 8 * 86_400_000;
/** Counting 200,000 calls takes the embedded database some milliseconds. */
const COUNT_CALLS_EVERY_MS = 600_000;
/** Keys expire in days, and there may be many. */
const LOOK_AT_KEYS_EVERY_MS = 600_000;

/** What housekeeping needs of the store. */
export interface HousekeepingStore {
  /** The number of pending deliveries, and when the oldest was accepted. */
  backlog(): Promise<{ pending: number; oldestAtMs: number | null }>;
  /** Midoffices that have been failing since then or longer. */
  failingSince(ms: number): Promise<FailingMidoffice[]>;
  /** Claims the alert for one node; claims made before `endedMs` have expired. False if another node has it. */
  claimAlert(midoffice: FailingMidoffice, nowMs: number, endedMs: number): Promise<boolean>;
  markAlerted(midoffice: FailingMidoffice, nowMs: number): Promise<void>;
  /** Deletes a batch after `cursor`; returns the next cursor, or undefined at the end. */
  deleteSettledBefore(
    cutoffMs: number,
    cursor?: RetentionCursor,
  ): Promise<RetentionCursor | undefined>;
  deleteMinutesBefore(ms: number): Promise<void>;
  /** Deletes a batch of usage history that is no longer kept; false if nothing is left to delete. */
  deleteOldUsage(nowMs: number): Promise<boolean>;
  /** Refused and failed calls of before this time are more than are kept. */
  cutoffOfCalls(): Promise<number>;
  /** Deletes a batch of them; false if nothing is left to delete. */
  deleteOldCalls(cutoffMs: number): Promise<boolean>;
  /** Stores notices about receivers that have begun or ceased to fail. */
  noticeReceivers(nowMs: number): Promise<void>;
  /** Stores notices about keys that expire soon. */
  noticeExpiring(nowMs: number): Promise<void>;
  /** Deletes a batch of notices and mails that are no longer kept; false if nothing is left to delete. */
  deleteOldNotices(nowMs: number): Promise<boolean>;
}

export interface FailingMidoffice {
  id: string;
  name: string;
  failingSinceMs: number;
  isAlerted: boolean;
}

/** How far the current round has come, so that it does not look at the remaining rows again. */
export interface RetentionCursor {
  acceptedAtMs: number;
  seq: number;
}

export interface Housekeeping {
  /** One round now; the timer calls it too. */
  round(): Promise<void>;
  stop(): void;
}

export function startHousekeeping(parts: {
  environment: EnvironmentName;
  store: { readonly housekeeping: HousekeepingStore };
  retentionMs: number;
  callsRetentionMs: number;
  raise: RaiseAlert;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}): Housekeeping {
  const { environment, retentionMs, callsRetentionMs, raise, clock, log, metrics } = parts;
  const { housekeeping: store } = parts.store;
  let stopped = false;
  let pending = 0;
  let oldestAtMs: number | null = null;
  let failing = 0;
  let callsCountedMs = Number.NEGATIVE_INFINITY;
  let callsCutoffMs = 0;
  let keysLookedAtMs = Number.NEGATIVE_INFINITY;

  metrics.gauge(
    'bellhop_deliveries_pending',
    'Deliveries that are waiting or in flight.',
    { environment },
    () => pending,
  );
  metrics.gauge(
    'bellhop_deliveries_oldest_pending_seconds',
    'Age of the oldest pending delivery.',
    { environment },
    () => (oldestAtMs === null ? 0 : (clock.now() - oldestAtMs) / 1_000),
  );
  metrics.gauge(
    'bellhop_midoffices_failing',
    'Midoffices that have failed for an hour.',
    { environment },
    () => failing,
  );

  async function alertFailing(): Promise<void> {
    const midoffices = await store.failingSince(clock.now() - FAILING_FOR_MS);
    failing = midoffices.length;
    await Promise.all(midoffices.filter(({ isAlerted }) => !isAlerted).map(alert));
  }

  /** Marked as sent only after it was: if a node crashes first, another one sends it. */
  async function alert(midoffice: FailingMidoffice): Promise<void> {
    const nowMs = clock.now();
    if (!(await store.claimAlert(midoffice, nowMs, nowMs - ALERT_CLAIM_MS))) return;
    const since = new Date(midoffice.failingSinceMs).toISOString();
    const isRaised = await raise({
      alert: 'midoffice_failing',
      midoffice_id: midoffice.id,
      failing_since: since,
      text: `Every webhook to midoffice "${midoffice.name}" has failed since ${since}. Look at its latest attempts and tell the partner.`,
    });
    // If not, the claim expires and the alert is sent again.
    if (isRaised) await store.markAlerted(midoffice, clock.now());
  }

  async function deleteOld(): Promise<void> {
    if (retentionMs === 0) return;
    const cutoffMs = clock.now() - retentionMs;
    let cursor = await store.deleteSettledBefore(cutoffMs);
    while (cursor && !stopped) {
      await nextTurn();
      cursor = await store.deleteSettledBefore(cutoffMs, cursor);
    }
  }

  async function deleteOldMinutes(): Promise<void> {
    await store.deleteMinutesBefore(clock.now() - MINUTES_KEPT_MS);
  }

  async function deleteOldUsage(): Promise<void> {
    while ((await store.deleteOldUsage(clock.now())) && !stopped) await nextTurn();
  }

  async function deleteOldCalls(): Promise<void> {
    const nowMs = clock.monotonic();
    if (nowMs >= callsCountedMs + COUNT_CALLS_EVERY_MS) {
      callsCountedMs = nowMs;
      callsCutoffMs = await store.cutoffOfCalls();
    }
    const cutoffMs = Math.max(callsCutoffMs, clock.now() - callsRetentionMs);
    while ((await store.deleteOldCalls(cutoffMs)) && !stopped) await nextTurn();
  }

  async function notice(): Promise<void> {
    await store.noticeReceivers(clock.now());
    const nowMs = clock.monotonic();
    if (nowMs >= keysLookedAtMs + LOOK_AT_KEYS_EVERY_MS) {
      await store.noticeExpiring(clock.now());
      keysLookedAtMs = nowMs;
    }
    while ((await store.deleteOldNotices(clock.now())) && !stopped) await nextTurn();
  }

  async function countPending(): Promise<void> {
    ({ pending, oldestAtMs } = await store.backlog());
  }

  async function round(): Promise<void> {
    try {
      await countPending();
      await alertFailing();
      await notice();
      await deleteOld();
      await deleteOldMinutes();
      await deleteOldUsage();
      await deleteOldCalls();
    } catch (error) {
      if (!stopped) log.warn({ err: error }, 'housekeeping failed; trying again');
    }
  }

  const timer = repeat(clock, EVERY_MS, round);
  return {
    round,
    stop() {
      stopped = true;
      timer.cancel();
    },
  };
}
