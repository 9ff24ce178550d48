/**
 * The span of each webhook attempt, in the trace of the event that it delivers. The trace was stored with the
 * event, so that it goes on whichever node makes the attempt, days later if need be.
 */

import { CLIENT, type OpenSpan } from '../base/tracing/span.ts';
import { isSampled, readStoredTrace, traceHeaders } from '../base/tracing/trace-context.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import type { Answered, Failed } from '../receiver/exchange.ts';
import { deliveryId } from './orders/order-event.ts';
import type { Due, Signed } from './stages.ts';

export function beginAttemptSpan(tracer: Tracer, { trace_context }: Due): OpenSpan {
  const event = trace_context === null ? undefined : readStoredTrace(trace_context);
  return event ? tracer.child(event) : tracer.begin(undefined);
}

/** The headers of the attempt. Without tracing, the receiver gets the event's trace as it came. */
export function headersWithTrace(
  { headers, due: { trace_context } }: Signed,
  span: OpenSpan | undefined,
): Record<string, string> {
  if (!span && trace_context === null) return headers;
  const context = span ? span.context : readStoredTrace(trace_context as string);
  return context ? { ...headers, ...traceHeaders(context) } : headers;
}

export function endAttemptSpan(
  tracer: Tracer,
  span: OpenSpan,
  { due, request: { url } }: Signed,
  outcome: Answered | Failed,
): void {
  if (!span.isRecorded) return;
  const status = outcome.status ?? undefined;
  const delivered = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
  const receiver = URL.canParse(url) ? new URL(url) : undefined;
  tracer.end(span, {
    name: 'POST webhook',
    kind: CLIENT,
    durationMs: outcome.durationMs,
    failed: !delivered,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': status,
      // Not the whole URL: people put secrets in it.
      'server.address': receiver?.hostname,
      'server.port': Number(receiver?.port) || (receiver?.protocol === 'http:' ? 80 : 443),
      'http.request.resend_count': due.attempts_made || undefined,
      'error.type': delivered ? undefined : outcome.kind === 'failed' ? outcome.code : `${status}`,
      'bellhop.delivery_id': deliveryId(due.seq),
      'bellhop.midoffice_id': due.midoffice_id,
      'bellhop.event_id': due.event_id,
    },
  });
}

/** For the exemplar of an attempt; undefined if its trace is not recorded. */
export function recordedTraceId({ trace_context }: Due): string | undefined {
  const event = trace_context === null ? undefined : readStoredTrace(trace_context);
  return event && isSampled(event) ? event.traceId : undefined;
}
