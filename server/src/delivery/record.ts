/**
 * Reports each settled attempt: one wide log line, the metrics, whether its midoffice has started or
 * stopped failing, and the alert when a delivery is exhausted.
 */
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { RaiseAlert } from './alerts.ts';
import type { AttemptRecord } from './attempt.ts';
import { recordedTraceId } from './attempt-spans.ts';
import type { DeliveryStats } from './delivery-stats.ts';
import { countByMidoffice } from './midoffice-counters.ts';
import { deliveryId } from './orders/order-event.ts';
import type { DeliveryQueue, Settled } from './queue.ts';
import { isRepeated } from './schedule.ts';
import type { LaneConfig } from './stages.ts';

/** Exhausted deliveries of one midoffice share an alert, because a dead receiver exhausts thousands. */
const GATHER_MS = 5_000;
const IDS_IN_ALERT = 20;

export interface AttemptRecorder {
  /** `lane` is undefined if another node owns its shard by now. */
  record(settled: Settled, lane: LaneConfig | undefined): void;
  /** Raises the alerts that are still being gathered. */
  stop(): void;
}

export function createAttemptRecorder(parts: {
  environment: EnvironmentName;
  queue: Pick<DeliveryQueue, 'markFailing' | 'markWorked'>;
  stats: DeliveryStats;
  raise: RaiseAlert;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Whether Bellhop records traces, so that a latency can refer to one. */
  isTraced: boolean;
}): AttemptRecorder {
  const { environment, queue, stats, raise, clock, log, metrics, isTraced } = parts;
  const countAttempt = countByMidoffice(environment, metrics, clock);
  const attempts = {
    delivered: attemptCounter('delivered'),
    failed: attemptCounter('failed'),
  };
  const settled = {
    delivered: settledCounter('delivered'),
    exhausted: settledCounter('exhausted'),
  };
  const seconds = metrics.histogram(
    'bellhop_webhook_attempt_seconds',
    'Duration of webhook attempts.',
    { environment },
  );
  const givenUp = new Map<string, string[]>();
  let gathering = false;

  function attemptCounter(outcome: string) {
    return metrics.counter('bellhop_webhook_attempts_total', 'Webhook attempts by outcome.', {
      environment,
      outcome,
    });
  }

  function settledCounter(state: string) {
    return metrics.counter('bellhop_deliveries_settled_total', 'Deliveries settled, by state.', {
      environment,
      state,
    });
  }

  function noteFailing(lane: LaneConfig, failed: boolean): void {
    if (failed === (lane.failing_since !== null)) return;
    const before = lane.failing_since;
    lane.failing_since = failed ? clock.now() : null;
    queue.markFailing(lane.midoffice_id, lane.failing_since).catch((error) => {
      // The next attempt tries again.
      lane.failing_since = before;
      log.warn(
        { err: error },
        'whether a midoffice is failing could not be stored; the next attempt tries again',
      );
    });
  }

  function noteWorked(lane: LaneConfig, { outcome, key_fingerprint }: AttemptRecord): void {
    if (outcome === 'failed' || lane.worked_key === key_fingerprint) return;
    const before = lane.worked_key;
    lane.worked_key = key_fingerprint;
    queue.markWorked(lane.midoffice_id, key_fingerprint).catch((error) => {
      lane.worked_key = before;
      log.warn(
        { err: error },
        'the key that a midoffice accepts could not be stored; the next attempt tries again',
      );
    });
  }

  function giveUp(midofficeId: string, id: string): void {
    const ids = givenUp.get(midofficeId);
    if (ids) ids.push(id);
    else givenUp.set(midofficeId, [id]);
    if (gathering) return;
    gathering = true;
    clock.after(GATHER_MS, alertOfGivenUp);
  }

  function alertOfGivenUp(): void {
    gathering = false;
    for (const [midoffice_id, delivery_ids] of givenUp) {
      const count = delivery_ids.length;
      void raise({
        alert: 'delivery_exhausted',
        midoffice_id,
        delivery_ids: delivery_ids.slice(0, IDS_IN_ALERT),
        text: `${count} ${count === 1 ? 'delivery' : 'deliveries'} to midoffice ${midoffice_id} used up every retry. Repair the receiver, then recover the midoffice.`,
      });
    }
    givenUp.clear();
  }

  function record(done: Settled, lane: LaneConfig | undefined): void {
    const { settlement, state } = done;
    const { due, attempt } = settlement;
    stats.note(done);
    attempts[attempt.outcome].add();
    countAttempt(due.midoffice_id, attempt);
    seconds.observe(attempt.duration_ms / 1_000, isTraced ? recordedTraceId(due) : undefined);
    // An attempt may end after its midoffice got another URL, of which it says nothing.
    if (lane?.url === attempt.url && !isRepeated(attempt)) {
      noteFailing(lane, attempt.outcome === 'failed');
      noteWorked(lane, attempt);
    }
    switch (state) {
      case 'delivered':
        settled.delivered.add();
        break;
      case 'exhausted':
        settled.exhausted.add();
        giveUp(due.midoffice_id, deliveryId(due.seq));
        break;
      case 'pending':
      case 'cancelled':
        break;
      default:
        state satisfies never;
    }
    log.infoJson(lineOf(environment, done));
  }

  return { record, stop: alertOfGivenUp };
}

/** Built by hand, because it is written on every attempt (see `Log.infoJson`). */
function lineOf(environment: EnvironmentName, { settlement, state, due_at }: Settled): string {
  const { due, attempt } = settlement;
  let line =
    `"environment":"${environment}","delivery_id":"${deliveryId(due.seq)}",` +
    `"midoffice_id":"${due.midoffice_id}","attempt":${attempt.number},` +
    `"outcome":"${attempt.outcome}","status":${attempt.status_code},"state":"${state}"`;
  if (attempt.error !== null) {
    line += `,"failure_code":"${attempt.failure_code}","error":${JSON.stringify(attempt.error)}`;
  }
  if (due_at !== null) line += `,"next_attempt_at":"${new Date(due_at).toISOString()}"`;
  return `${line},"duration_ms":${attempt.duration_ms},"msg":"attempt"`;
}
