/**
 * Alerts for people: a midoffice that has failed for an hour, and exhausted deliveries. Each alert is a
 * log line and a metric, and a POST if `BELLHOP_ALERT_URL` is set.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';

const TRIES = 3;
const TIMEOUT_MS = 5_000;
/** How long a stop waits for alerts that are being sent. */
const STOP_WAIT_MS = 1_000;

export interface Alert {
  alert: 'midoffice_failing' | 'delivery_exhausted';
  midoffice_id: string;
  /** A sentence that says what to do. */
  text: string;
  failing_since?: string;
  delivery_ids?: string[];
}

/** Resolves to whether the alert was delivered. Always true without `BELLHOP_ALERT_URL`. */
export type RaiseAlert = (alert: Alert) => Promise<boolean>;

export interface Alerts {
  raise: RaiseAlert;
  /** At a stop: gives the last alerts a moment to be sent. */
  sent(): Promise<void>;
}

export function createAlerts(parts: {
  environment: EnvironmentName;
  url: string | undefined;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}): Alerts {
  const { environment, url, clock, log, metrics } = parts;
  const inFlight = new Set<Promise<boolean>>();
  const counter = (alert: Alert['alert']) =>
    metrics.counter('bellhop_alerts_total', 'Alerts raised, by kind.', { environment, alert });
  counter('midoffice_failing');
  counter('delivery_exhausted');

  async function post(alert: Alert): Promise<boolean> {
    // Loaded for the first alert: most processes never send one, and it takes 11 MB.
    const { request } = await import('undici');
    const body = JSON.stringify({ environment, at: new Date(clock.now()).toISOString(), ...alert });
    for (let tries = 1; tries <= TRIES; tries++) {
      try {
        const reply = await request(url as string, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          headersTimeout: TIMEOUT_MS,
          bodyTimeout: TIMEOUT_MS,
        });
        await reply.body.dump();
        if (reply.statusCode < 300) return true;
        log.warn({ status: reply.statusCode }, 'BELLHOP_ALERT_URL did not accept an alert');
      } catch (error) {
        log.warn({ err: error }, 'BELLHOP_ALERT_URL cannot be reached');
      }
    }
    return false;
  }

  return {
    raise(alert) {
      counter(alert.alert).add();
      log.error(alert, 'alert');
      if (!url) return Promise.resolve(true);
      const posting = post(alert).finally(() => inFlight.delete(posting));
      inFlight.add(posting);
      return posting;
    },
    async sent() {
      if (inFlight.size === 0) return;
      const waiting = new AbortController();
      const timeout = sleep(STOP_WAIT_MS, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([Promise.all(inFlight), timeout]);
      waiting.abort();
    },
  };
}
