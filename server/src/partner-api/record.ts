/** One wide log line and the counts of each finished call. */
import type { Clock } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Counter, Histogram, Metrics } from '../metrics.ts';
import type { Call } from './call.ts';
import type { Refusal } from './refusal.ts';

export type RequestRecorder = (call: Call, refusal: Refusal | undefined) => void;

export function createRecorder(parts: {
  environment: EnvironmentName;
  log: Log;
  metrics: Metrics;
  clock: Clock;
}): RequestRecorder {
  const { environment, log, metrics, clock } = parts;
  const counters = new Map<string, Counter[]>();
  const durations = new Map<string, Histogram>();

  function counter(endpoint: string, status: number): Counter {
    let byStatus = counters.get(endpoint);
    if (!byStatus) {
      byStatus = [];
      counters.set(endpoint, byStatus);
    }
    byStatus[status] ??= metrics.counter(
      'bellhop_partner_requests_total',
      'Calls of the partner API by endpoint and status.',
      { environment, endpoint, status: String(status) },
    );
    return byStatus[status];
  }

  function duration(endpoint: string): Histogram {
    let histogram = durations.get(endpoint);
    if (!histogram) {
      histogram = metrics.histogram(
        'bellhop_partner_request_seconds',
        'Time from request to reply by endpoint.',
        { environment, endpoint },
      );
      durations.set(endpoint, histogram);
    }
    return histogram;
  }

  return (call, refusal) => {
    const status = call.response.headersSent ? call.response.statusCode : 499;
    const durationMs = clock.monotonic() - call.startedMs;
    const endpoint = call.endpoint ?? 'none';
    counter(endpoint, status).add();
    duration(endpoint).observe(durationMs / 1_000);
    log.info(
      {
        environment,
        request_id: call.id,
        method: call.request.method,
        path: call.endpoint ?? call.path.slice(0, 256),
        status,
        error: refusal?.kind.code,
        key_id: call.keyId,
        partner_id: call.partnerId,
        real_ip: call.address,
        remaining: call.standing?.remaining,
        duration_ms: Math.round(durationMs * 1_000) / 1_000,
      },
      'request',
    );
  };
}
