/**
 * What is said about each settled attempt: one wide log line, the counts, whether its midoffice has
 * begun or ceased to fail, and the alert when a delivery is given up.
 */
import type { Clock } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { deliveryId } from '../orders/order-event.ts';
import type { RaiseAlert } from './alerts.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { LaneConfig, Settlement } from './stages.ts';

/** Given-up deliveries of one midoffice are told of together; a dead receiver gives up thousands. */
const GATHER_MS = 5_000;
const IDS_IN_ALERT = 20;

export function createAttemptRecorder(parts: {
  environment: EnvironmentName;
  store: DeliveryStore;
  raise: RaiseAlert;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}): (settlement: Settlement, lane: LaneConfig) => void {
  const { environment, store, raise, clock, log, metrics } = parts;
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
    if (failed === (lane.failingSinceMs !== null)) return;
    lane.failingSinceMs = failed ? clock.now() : null;
    store.markFailing(lane.midofficeId, lane.failingSinceMs).catch((error) => {
      log.warn({ err: error }, 'the state of a midoffice could not be kept');
    });
  }

  function giveUp(midofficeId: string, id: string): void {
    const ids = givenUp.get(midofficeId);
    if (ids) ids.push(id);
    else givenUp.set(midofficeId, [id]);
    if (gathering) return;
    gathering = true;
    clock.after(GATHER_MS, () => {
      gathering = false;
      for (const [midoffice_id, delivery_ids] of givenUp) {
        const count = delivery_ids.length;
        raise({
          alert: 'delivery_exhausted',
          midoffice_id,
          delivery_ids: delivery_ids.slice(0, IDS_IN_ALERT),
          text: `${count} ${count === 1 ? 'delivery' : 'deliveries'} to midoffice ${midoffice_id} used up every retry. Repair the receiver, then recover the midoffice.`,
        });
      }
      givenUp.clear();
    });
  }

  return ({ claimed, attempt, state, dueAtMs }, lane) => {
    const id = deliveryId(claimed.seq);
    attempts[attempt.outcome].add();
    seconds.observe(attempt.durationMs / 1_000);
    if (state !== 'pending') settled[state].add();
    noteFailing(lane, attempt.outcome === 'failed');
    if (state === 'exhausted') giveUp(claimed.midofficeId, id);
    log.info(
      {
        delivery_id: id,
        midoffice_id: claimed.midofficeId,
        attempt: attempt.number,
        outcome: attempt.outcome,
        status: attempt.statusCode,
        error: attempt.error ?? undefined,
        state,
        next_attempt_at: dueAtMs === null ? undefined : new Date(dueAtMs).toISOString(),
        duration_ms: attempt.durationMs,
      },
      'attempt',
    );
  };
}
