/** The spans of a partner's call: the call itself, and what it cost at the upstream. */
import type { EnvironmentName } from '../base/config/settings.ts';
import { newSpanId } from '../base/ids.ts';
import { CLIENT, type OpenSpan, SERVER } from '../base/tracing/span.ts';
import { readTraceContext, traceHeaders } from '../base/tracing/trace-context.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import type { Call } from './call.ts';
import type { Refusal } from './refusal.ts';

/** A call without a trace of its own starts one, whose id is the request id that the partner sees. */
export function beginCallSpan(tracer: Tracer, call: Call): OpenSpan {
  const { traceparent, tracestate } = call.request.headers;
  return tracer.begin(readTraceContext(traceparent, tracestate), call.id);
}

export function endCallSpan(
  tracer: Tracer,
  span: OpenSpan,
  ended: {
    call: Call;
    environment: EnvironmentName;
    status: number;
    refusal: Refusal | undefined;
    durationMs: number;
  },
): void {
  const { call, environment, status, refusal, durationMs } = ended;
  const method = call.request.method ?? '';
  // The catalogue's spelling. Other paths are the caller's own text, of which there is no end.
  const route = call.endpoint === undefined ? undefined : `/${call.endpoint}`;
  tracer.end(span, {
    name: route === undefined ? method : `${method} ${route}`,
    kind: SERVER,
    beganMs: call.startedMs,
    durationMs,
    failed: status >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'client.address': call.address,
      'error.type': refusal?.kind.code,
      'bellhop.environment': environment,
      'bellhop.request_id': call.id,
      'bellhop.key_id': call.caller?.keyId,
      'bellhop.partner_id': call.caller?.partnerId,
    },
  });
}

/** Called when the upstream has answered completely, or not at all. */
export type UpstreamEnded = (status: number | undefined, refusal: Refusal | undefined) => void;

export interface UpstreamSpans {
  begin(call: Call): OpenSpan | undefined;
  /** Undefined if the span is not recorded. */
  ending(span: OpenSpan | undefined, call: Call): UpstreamEnded | undefined;
}

export function createUpstreamSpans(tracer: Tracer, upstream: URL): UpstreamSpans {
  const port = Number(upstream.port) || (upstream.protocol === 'https:' ? 443 : 80);
  return {
    begin: ({ trace }) => trace && tracer.child(trace.context),
    ending(span, call) {
      if (!span?.isRecorded) return undefined;
      const startedMs = performance.now();
      return (status, refusal) => {
        const method = call.request.method ?? '';
        const template = `/${call.endpoint}`;
        tracer.end(span, {
          name: `${method} ${template}`,
          kind: CLIENT,
          beganMs: startedMs,
          durationMs: performance.now() - startedMs,
          failed: status === undefined || status >= 400,
          attributes: {
            'http.request.method': method,
            'url.template': template,
            'http.response.status_code': status,
            'server.address': upstream.hostname,
            'server.port': port,
            'error.type': refusal?.kind.code ?? (status === undefined ? 'broken_off' : undefined),
          },
        });
      };
    },
  };
}

/**
 * Adds the trace to the headers for the upstream. Without tracing, a valid trace passes through unchanged, and
 * an invalid one is replaced, as W3C asks.
 */
export function pushTraceHeaders(headers: string[], call: Call, span: OpenSpan | undefined): void {
  if (span) {
    pushAll(headers, traceHeaders(span.context));
    return;
  }
  const { traceparent, tracestate } = call.request.headers;
  if (traceparent === undefined) return;
  const context = readTraceContext(traceparent, tracestate);
  if (!context) headers.push('traceparent', `00-${call.id}-${newSpanId()}-00`);
  else pushAll(headers, { ...traceHeaders(context), traceparent: String(traceparent) });
}

function pushAll(headers: string[], added: Record<string, string>): void {
  for (const [name, value] of Object.entries(added)) headers.push(name, value);
}
