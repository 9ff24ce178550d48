/** The trace of a request with order events: stored with each event, so that its webhooks continue it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { EnvironmentName } from '../base/config/settings.ts';
import { SERVER } from '../base/tracing/span.ts';
import { readTraceContext, storedTrace } from '../base/tracing/trace-context.ts';
import type { Tracer } from '../base/tracing/tracer.ts';

export interface EventTrace {
  /** As each event keeps it. */
  stored: string;
  /** How many events the request has; undefined until it has been read. */
  events?: number;
  end(status: number): void;
}

const ROUTE = '/orders/v1/{environment}/events';

/** Undefined if the request has no valid trace, and Bellhop records none. */
export function traceEvents(
  { traceparent, tracestate }: IncomingHttpHeaders,
  environment: EnvironmentName,
  tracer: Tracer | undefined,
): EventTrace | undefined {
  if (!tracer && traceparent === undefined) return undefined;
  const parent = readTraceContext(traceparent, tracestate);
  if (!tracer) return parent && { stored: storedTrace(parent), end() {} };
  const span = tracer.begin(parent);
  const startedMs = performance.now();
  const trace: EventTrace = {
    stored: storedTrace(span.context),
    end(status) {
      tracer.end(span, {
        name: `POST ${ROUTE}`,
        kind: SERVER,
        durationMs: performance.now() - startedMs,
        failed: status >= 500,
        attributes: {
          'http.request.method': 'POST',
          'http.route': ROUTE,
          'http.response.status_code': status,
          'bellhop.environment': environment,
          'bellhop.events': trace.events,
        },
      });
    },
  };
  return trace;
}
