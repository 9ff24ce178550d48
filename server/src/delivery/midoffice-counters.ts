/**
 * Attempts by midoffice, for a bounded number of midoffices: a metric with a series for each of 100,000
 * would fill Prometheus. Those without a series of their own are counted as `other`. A midoffice gives its
 * series up only after it has been quiet for a while, and a failing one takes the place of a healthy one.
 */
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Metrics } from '../base/metrics.ts';
import type { AttemptRecord } from './attempt.ts';

/** Midoffices of one environment with series of their own. */
export const MOST_MIDOFFICES = 100;
/** Only a midoffice that did not attempt, or did not fail, for this long can lose its series. */
export const QUIET_MS = 600_000;
/** How often to look for a series that can be given up; each look goes through all of them. */
const LOOK_EVERY_MS = 1_000;
const OTHER = 'other';

interface Counted {
  delivered: number;
  failed: number;
  seconds: number;
  attemptedMs: number;
  failedMs: number;
}

export type CountAttempt = (midofficeId: string, attempt: AttemptRecord) => void;

export function countByMidoffice(
  environment: EnvironmentName,
  metrics: Metrics,
  clock: Clock,
): CountAttempt {
  const other = newCounted();
  const byId = new Map<string, Counted>([[OTHER, other]]);
  const lookedMs = { attemptedMs: 0, failedMs: 0 };

  metrics.counters(
    'bellhop_midoffice_attempts_total',
    'Webhook attempts by midoffice and outcome, for up to 100 midoffices; the rest are other.',
    { environment },
    function* () {
      for (const [midoffice_id, { delivered, failed }] of byId) {
        yield [{ midoffice_id, outcome: 'delivered' }, delivered];
        yield [{ midoffice_id, outcome: 'failed' }, failed];
      }
    },
  );
  metrics.counters(
    'bellhop_midoffice_attempt_seconds_total',
    'Time that webhook attempts took by midoffice, for up to 100 midoffices; the rest are other.',
    { environment },
    function* () {
      for (const [midoffice_id, { seconds }] of byId) yield [{ midoffice_id }, seconds];
    },
  );

  function countedOf(midofficeId: string, hasFailed: boolean, nowMs: number): Counted {
    const known = byId.get(midofficeId);
    if (known) return known;
    if (byId.size > MOST_MIDOFFICES && !makeRoom(hasFailed ? 'failedMs' : 'attemptedMs', nowMs)) {
      return other;
    }
    const counted = newCounted();
    byId.set(midofficeId, counted);
    return counted;
  }

  /** Gives up the series of the midoffice that has not attempted, or not failed, for longest. */
  function makeRoom(by: 'attemptedMs' | 'failedMs', nowMs: number): boolean {
    if (nowMs - lookedMs[by] < LOOK_EVERY_MS) return false;
    lookedMs[by] = nowMs;
    let quietest: [id: string, sinceMs: number] | undefined;
    for (const [id, counted] of byId) {
      if (id === OTHER || nowMs - counted[by] < QUIET_MS) continue;
      if (!quietest || counted[by] < quietest[1]) quietest = [id, counted[by]];
    }
    return quietest !== undefined && byId.delete(quietest[0]);
  }

  return (midofficeId, { outcome, duration_ms }) => {
    const nowMs = clock.now();
    const counted = countedOf(midofficeId, outcome === 'failed', nowMs);
    counted[outcome]++;
    counted.seconds += duration_ms / 1_000;
    counted.attemptedMs = nowMs;
    if (outcome === 'failed') counted.failedMs = nowMs;
  };
}

function newCounted(): Counted {
  return { delivered: 0, failed: 0, seconds: 0, attemptedMs: 0, failedMs: 0 };
}
