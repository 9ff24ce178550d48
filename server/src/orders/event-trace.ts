/** The trace of a request with order events: stored with each event, so that its webhooks continue it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { EnvironmentName } from '../config/settings.ts';
import { type OpenSpan, SERVER } from '../tracing/span.ts';
import { readTraceContext, storedTrace } from '../tracing/trace-context.ts';
import type { Tracer } from '../tracing/tracer.ts';

export interface EventTrace {
  /** Undefined if the request has no valid trace, and Bellhop records none. */
  stored: string | undefined;
  end(accepted: { status: number; durationMs: number; events: number }): void;
}

const NO_TRACE: EventTrace = { stored: undefined, end() {} };

export function traceEvents(
  { traceparent, tracestate }: IncomingHttpHeaders,
  environment: EnvironmentName,
  tracer: Tracer | undefined,
): EventTrace {
  if (!tracer && traceparent === undefined) return NO_TRACE;
  const parent = readTraceContext(traceparent, tracestate);
  if (!tracer) return parent ? { ...NO_TRACE, stored: storedTrace(parent) } : NO_TRACE;
  const span = tracer.begin(parent);
  return {
    stored: storedTrace(span.context),
    end: (accepted) => endSpan(tracer, span, environment, accepted),
  };
}

function endSpan(
  tracer: Tracer,
  span: OpenSpan,
  environment: EnvironmentName,
  { status, durationMs, events }: Parameters<EventTrace['end']>[0],
): void {
  const route = '/orders/v1/{environment}/events';
  tracer.end(span, {
    name: `POST ${route}`,
    kind: SERVER,
    durationMs,
    failed: status >= 500,
    attributes: {
      'http.request.method': 'POST',
      'http.route': route,
      'http.response.status_code': status,
      'bellhop.environment': environment,
      'bellhop.events': events,
    },
  });
}
