/** One wide log line, the metrics, the usage history, the record for support and the span of each finished call. */
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import { loggedUnknownPath } from '../base/logging/logged-path.ts';
import type { Counter, Histogram, Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import type { Call } from './call.ts';
import { failureOf, noteCall } from './call-lines.ts';
import { endCallSpan } from './call-spans.ts';
import type { CallSamples } from './recorded-calls/samples.ts';
import { type Refusal, refusals } from './refusal.ts';
import type { UsageCounts } from './usage-history/counts.ts';

export type RequestRecorder = (call: Call, refusal: Refusal | undefined) => void;

/** The counters of one endpoint, and what the log lines of its calls have in common. */
interface Counted {
  byStatus: Counter[];
  seconds: Histogram;
  /** By method, then by status. */
  described: Map<string | undefined, string[]>;
}

export function createRecorder(parts: {
  environment: EnvironmentName;
  log: Log;
  metrics: Metrics;
  clock: Clock;
  usage: UsageCounts;
  /** Undefined if calls are not recorded. */
  calls: CallSamples | undefined;
  tracer?: Tracer | undefined;
}): RequestRecorder {
  const { environment, log, metrics, clock, usage, calls, tracer } = parts;
  const byEndpoint = new Map<string, Counted>();
  const begin = `"environment":"${environment}","request_id":"`;

  function countedOf(endpoint: string): Counted {
    let counted = byEndpoint.get(endpoint);
    if (!counted) {
      const seconds = metrics.histogram(
        'bellhop_partner_request_seconds',
        'Time from request to reply by endpoint.',
        { environment, endpoint },
      );
      counted = { byStatus: [], seconds, described: new Map() };
      byEndpoint.set(endpoint, counted);
    }
    return counted;
  }

  function counter(endpoint: string, status: number): Counter {
    return metrics.counter(
      'bellhop_partner_requests_total',
      'Calls of the partner API by endpoint and status.',
      { environment, endpoint, status: String(status) },
    );
  }

  return (call, refusal) => {
    const status = call.response.headersSent ? call.response.statusCode : 499;
    const durationMs = clock.monotonic() - call.startedMs;
    const endpoint = call.endpoint ?? 'none';
    const { byStatus, seconds, described } = countedOf(endpoint);
    byStatus[status] ??= counter(endpoint, status);
    byStatus[status].add();
    const { trace } = call;
    seconds.observe(durationMs / 1_000, trace?.isRecorded ? trace.context.traceId : undefined);
    if (tracer && trace) {
      endCallSpan(tracer, trace, { call, environment, status, refusal, durationMs });
    }
    const inOverlap = call.caller?.inOverlap;
    if (inOverlap) usage.apiKeys.note(inOverlap);
    countUsage(usage, call, status, refusal);
    if (calls) {
      const code = failureOf(call, status, refusal);
      if (code) noteCall(calls, call, { code, status, durationMs, atMs: clock.now() });
    }
    log.infoJson(
      begin + call.id + descriptionOf(call, status, described) + lineOf(call, refusal, durationMs),
    );
  };
}

const LONGEST_PATH = 256;

/** Only a path that is not an endpoint is the caller's own text, which needs escaping and is not kept. */
function descriptionOf(
  { endpoint, path, request: { method } }: Call,
  status: number,
  described: Counted['described'],
): string {
  if (endpoint === undefined) {
    const text = JSON.stringify(loggedUnknownPath(path).slice(0, LONGEST_PATH));
    return `","method":"${method}","path":${text},"status":${status}`;
  }
  let byStatus = described.get(method);
  if (!byStatus) {
    byStatus = [];
    described.set(method, byStatus);
  }
  byStatus[status] ??= `","method":"${method}","path":"${endpoint}","status":${status}`;
  return byStatus[status];
}

/** The rest of the line, built by hand because it is written on every call (see `Log.infoJson`). */
function lineOf(call: Call, refusal: Refusal | undefined, durationMs: number): string {
  let line = `,"real_ip":"${call.address}"`;
  if (refusal) line += `,"error":"${refusal.kind.code}"`;
  if (call.caller) line += call.caller.logged;
  if (call.trace?.isRecorded) line += `,"trace_id":"${call.trace.context.traceId}"`;
  if (call.standing) line += `,"remaining":${call.standing.remaining}`;
  return `${line},"duration_ms":${threeDigits(durationMs)},"msg":"request"`;
}

const FRACTIONS = Array.from({ length: 1_000 }, (_, i) => String(i / 1_000).slice(1));

/** Rounded to microseconds. As a number it took 0.2 µs, because V8 searches the shortest text for each. */
function threeDigits(ms: number): string {
  const micros = Math.round(ms * 1_000);
  const whole = Math.floor(micros / 1_000);
  return `${whole}${FRACTIONS[micros - whole * 1_000]}`;
}

/** Adds a finished call to the usage history. Calls that key, address or endpoint refused are not part of it. */
function countUsage(
  counts: UsageCounts,
  call: Call,
  status: number,
  refusal: Refusal | undefined,
): void {
  const { caller, grant, standing, isAdmitted, response } = call;
  if (!caller || !grant) return;
  const isRefused = refusal?.kind === refusals.endpointExceededLimit;
  // The caller hung up before the reply was complete, or the upstream's reply broke off.
  const isIncomplete = !response.writableEnded;
  const isFailed = isIncomplete || status >= 500;
  if (!isAdmitted && !isRefused && !isFailed) return;
  const record = counts.of(caller.keyId, grant.endpoint);
  if (!record) return;
  if (isAdmitted) record.admitted++;
  if (isRefused) record.refused++;
  if (isFailed) record.failed++;
  if (!standing || !(isAdmitted || isRefused)) return;
  const calls = grant.requests_number - standing.remaining;
  if (record.peakCalls === null || calls > record.peakCalls) record.peakCalls = calls;
  const share = calls / grant.requests_number;
  if (record.peakShare === null || share > record.peakShare) record.peakShare = share;
}
