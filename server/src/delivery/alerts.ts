/**
 * What people must hear of: a midoffice that has failed for an hour, deliveries given up. Each is a
 * log line and a count, and a POST where an address for alerts is set.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

const TRIES = 3;
const TIMEOUT_MS = 5_000;
/** Of the time that a stop may take. */
const LAST_MS = 1_000;

export interface Alert {
  alert: 'midoffice_failing' | 'delivery_exhausted';
  midoffice_id: string;
  /** A sentence that says what to do. */
  text: string;
  failing_since?: string;
  delivery_ids?: string[];
}

/** Resolves to whether it was told: always, where there is no address for alerts but the log. */
export type RaiseAlert = (alert: Alert) => Promise<boolean>;

export interface Alerts {
  raise: RaiseAlert;
  /** At a stop: the last ones get a moment to go out. */
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
  const underWay = new Set<Promise<boolean>>();
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
        log.warn({ status: reply.statusCode }, 'BELLHOP_ALERT_URL did not take an alert');
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
      const posting = post(alert).finally(() => underWay.delete(posting));
      underWay.add(posting);
      return posting;
    },
    async sent() {
      if (underWay.size === 0) return;
      const patience = new AbortController();
      const late = sleep(LAST_MS, undefined, { signal: patience.signal }).catch(() => {});
      await Promise.race([Promise.all(underWay), late]);
      patience.abort();
    },
  };
}
