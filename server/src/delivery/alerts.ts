/**
 * What people must hear of: a midoffice that has failed for an hour, deliveries given up. Each is a
 * log line and a count, and a POST where an address for alerts is set.
 */
import { request } from 'undici';
import type { EnvironmentName } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

const TRIES = 3;
const TIMEOUT_MS = 5_000;

export interface Alert {
  alert: 'midoffice_failing' | 'delivery_exhausted';
  midoffice_id: string;
  /** A sentence that says what to do. */
  text: string;
  failing_since?: string;
  delivery_ids?: string[];
}

export type RaiseAlert = (alert: Alert) => void;

export function createAlerts(parts: {
  environment: EnvironmentName;
  url: string | undefined;
  log: Log;
  metrics: Metrics;
}): RaiseAlert {
  const { environment, url, log, metrics } = parts;
  const counter = (alert: Alert['alert']) =>
    metrics.counter('bellhop_alerts_total', 'Alerts raised, by kind.', { environment, alert });
  counter('midoffice_failing');
  counter('delivery_exhausted');

  async function post(alert: Alert): Promise<void> {
    const body = JSON.stringify({ environment, at: new Date().toISOString(), ...alert });
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
        if (reply.statusCode < 300) return;
        log.warn({ status: reply.statusCode }, 'BELLHOP_ALERT_URL did not take an alert');
      } catch (error) {
        log.warn({ err: error }, 'BELLHOP_ALERT_URL cannot be reached');
      }
    }
  }

  return (alert) => {
    counter(alert.alert).add();
    log.error(alert, 'alert');
    if (url) void post(alert);
  };
}
