/** Composes the second flow of one environment: events in, webhooks out, receivers checked. */

import { type Clock, systemClock } from '../base/clock.ts';
import type { EnvironmentConfig } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Vault } from '../base/sealing/vault.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import { USER_AGENT } from '../base/version.ts';
import { createAlerts } from '../delivery/alerts.ts';
import { attemptNow } from '../delivery/attempt-now.ts';
import { startDeliveryStats } from '../delivery/delivery-stats.ts';
import { startHousekeeping } from '../delivery/housekeeping.ts';
import { createAccept } from '../delivery/orders/accept.ts';
import { createIntake } from '../delivery/orders/intake.ts';
import { createCertifier } from '../delivery/receiver-check/certify.ts';
import { createAttemptRecorder } from '../delivery/record.ts';
import { createRehearser } from '../delivery/rehearse.ts';
import { createSigner, keysInForce, type Signer } from '../delivery/sign.ts';
import type { LaneConfig } from '../delivery/stages.ts';
import { openHeaders } from '../delivery/webhook-headers.ts';
import { DeliveryWorker } from '../delivery/worker.ts';
import { openIdentity } from '../receiver/client-certificate.ts';
import { createPoster, type Poster } from '../receiver/post.ts';
import { createResolver } from '../receiver/resolve.ts';
import { checkReceiverUrl } from '../receiver/url.ts';
import type { Webhooks } from '../resources/environment.ts';
import type { Store } from '../store/store.ts';

export interface OrderWebhooksParts {
  environment: EnvironmentName;
  settings: EnvironmentConfig;
  alertUrl: string | undefined;
  store: Store;
  vault: Vault;
  clock: Clock;
  /** For leases. Real time, except in tests. */
  leaseClock?: Clock;
  log: Log;
  metrics: Metrics;
  /** Undefined if webhooks are not traced. */
  tracer?: Tracer | undefined;
}

export interface OrderWebhooks extends Webhooks {
  /** Starts delivering if the process has the role. */
  start(): Promise<{ stop(): Promise<void> }>;
  close(): Promise<void>;
}

export function openOrderWebhooks(parts: OrderWebhooksParts): OrderWebhooks {
  const { environment, settings, store, vault, clock, metrics } = parts;
  const poster = createPoster({
    allow: settings.receiverAllow,
    timeoutMs: settings.receiverTimeoutMs,
    proxy: settings.receiverProxy,
    userAgent: USER_AGENT,
  });
  const sign = createSigner(vault, clock);
  const attempting = { sign, poster, clock };
  const resolve = createResolver();
  let worker: DeliveryWorker | undefined;

  async function receiverOf(midofficeId: string) {
    const { url, signingKey, headers, client_certificate: pair } = await laneOf(store, midofficeId);
    const sealed = keysInForce(signingKey, clock.now());
    return {
      url,
      keys: sealed.map((key) => vault.open(signingKey.key_id, key.sealed)),
      headers: openHeaders(vault, midofficeId, headers),
      identity: pair === null ? undefined : openIdentity(vault, midofficeId, pair),
    };
  }

  const accepting = createAccept(
    store.orders,
    {
      epochOf: (shard) => worker?.epochOf(shard),
      mark: () => worker?.mark ?? 0,
      handOver: (work, mark) => worker?.handOver(work, mark),
      isDelivering: () => (worker?.attemptsInFlight ?? 0) > 0,
    },
    clock,
  );
  metrics.gauge(
    'bellhop_order_events_waiting',
    'Order events received by this process and not stored yet.',
    { environment },
    accepting.waiting,
  );
  const refused = metrics.counter(
    'bellhop_order_requests_refused_total',
    'Requests with order events answered 503 because too many events were waiting to be stored.',
    { environment },
  );

  measureFailovers(parts);

  return {
    accept: accepting.accept,
    intake: createIntake(accepting.waiting, () => refused.add()),
    async checkUrl(text) {
      const checked = await checkReceiverUrl(text, { allow: settings.receiverAllow, resolve });
      return checked.ok ? checked : { ok: false, detail: checked.problem.message };
    },
    certifyReceiver: createCertifier({
      receiverOf,
      timeoutMs: settings.receiverTimeoutMs,
      proxy: settings.receiverProxy,
      allow: settings.receiverAllow,
    }),
    async attemptNow(midofficeId, event, instead) {
      const own = await laneOf(store, midofficeId);
      const lane = instead ? { ...own, url: instead.url, body_form: instead.bodyForm } : own;
      return attemptNow(attempting, lane, event, instead);
    },
    rehearse: createRehearser({ ...attempting, laneOf: (id) => laneOf(store, id) }),
    retrySchedule: settings.retrySchedule,
    attemptsInFlight: () => worker?.attemptsInFlight ?? 0,
    isInFlight: (seq) => worker?.isInFlight(seq) ?? false,
    async start() {
      const started = await startDelivery(parts, poster, sign);
      worker = started.worker;
      return started;
    },
    close: () => poster.close(),
  };
}

function measureFailovers({
  environment,
  store: { failovers },
  metrics,
}: OrderWebhooksParts): void {
  metrics.readCounter(
    'bellhop_database_failovers_total',
    'Failovers or restores of the database that this process has seen.',
    { environment },
    () => failovers?.count ?? 0,
  );
  metrics.readCounter(
    'bellhop_database_restored_total',
    'Events, outcomes and changes that a failover had lost and this process has stored again.',
    { environment },
    () => failovers?.restored ?? 0,
  );
  metrics.readCounter(
    'bellhop_database_not_restored_total',
    'Changes and events that a failover has lost for good; the log names each.',
    { environment },
    () => failovers?.notRestored ?? 0,
  );
  metrics.readCounter(
    'bellhop_database_nodes_lost_total',
    'Nodes that did not come back after a failover: what only they had confirmed is lost. The log names each.',
    { environment },
    () => failovers?.nodesLost ?? 0,
  );
}

async function startDelivery(parts: OrderWebhooksParts, poster: Poster, sign: Signer) {
  const { environment, settings, alertUrl, store, clock, log, metrics, tracer } = parts;
  const alerts = createAlerts({ environment, url: alertUrl, clock, log, metrics });
  const { raise } = alerts;
  const stats = startDeliveryStats({ environment, store, clock, log });
  const recorder = createAttemptRecorder({
    environment,
    queue: store.queue,
    stats,
    raise,
    clock,
    log,
    metrics,
    isTraced: tracer !== undefined,
  });
  const worker = new DeliveryWorker({
    queue: store.queue,
    leases: store.shards,
    sign,
    poster,
    schedule: settings.retrySchedule,
    clock,
    leaseClock: parts.leaseClock ?? systemClock,
    log,
    tracer,
    record: recorder.record,
    shardsTaken: metrics.counter(
      'bellhop_delivery_shards_taken_total',
      'Shards that this process has taken: free ones, and those of failed nodes.',
      { environment },
    ),
    outcomesFenced: metrics.counter(
      'bellhop_delivery_outcomes_fenced_total',
      'Outcomes of attempts discarded because another node had taken over the shard.',
      { environment },
    ),
  });
  metrics.gauge(
    'bellhop_webhook_attempts_in_flight',
    'Webhook attempts in flight in this process.',
    { environment },
    () => worker.attemptsInFlight,
  );
  metrics.gauge(
    'bellhop_delivery_shards_owned',
    'Shards of midoffices that this process owns, out of 64.',
    { environment },
    () => worker.ownership.count,
  );

  // A midoffice or its signing key changed, on this node or another. A change made on this node is in force
  // here when support gets its reply.
  const unsubscribe = store.invalidations.subscribe((ids) => worker.reload(ids));
  await worker.start();
  const housekeeping = startHousekeeping({
    environment,
    store,
    retentionMs: settings.retentionMs,
    callsRetentionMs: settings.callsRetentionMs,
    raise,
    clock,
    log,
    metrics,
  });
  return {
    worker,
    async stop() {
      unsubscribe();
      housekeeping.stop();
      await worker.stop();
      recorder.stop();
      await stats.stop();
      await alerts.sent();
    },
  };
}

async function laneOf({ queue }: Store, midofficeId: string): Promise<LaneConfig> {
  const [lane] = await queue.lanes([midofficeId]);
  if (!lane) throw new Error(`midoffice ${midofficeId} is gone`);
  return lane;
}
