/**
 * The other 42 endpoints: the call is streamed to the booking core and the core's reply streamed back
 * unchanged. It is never retried, because Bellhop cannot know what a second try would book. Memory per
 * call is bounded: if one side reads slowly, the other side is slowed down (back-pressure).
 */
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { OpenSpan } from '../base/tracing/span.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import type { Certificate } from '../listener/certificate.ts';
import type { Forwarder } from './answer.ts';
import type { Call } from './call.ts';
import { createUpstreamSpans, pushTraceHeaders } from './call-spans.ts';
import { CallsInFlight, Slot } from './calls-in-flight.ts';
import { requestHeadersToPass } from './end-to-end-headers.ts';
import { FORWARD_LIMITS, type ForwardLimits } from './forward-limits.ts';
import { Refusal } from './refusal.ts';
import type { Permitted, Reserved } from './stages.ts';
import { UpstreamExchange } from './upstream-exchange.ts';
import { openUpstreamPool } from './upstream-pool.ts';

export interface Upstream {
  url: string;
  timeoutMs: number;
  /** As in `PoolOptions`. */
  certificate?: Certificate | undefined;
  environment: EnvironmentName;
  clock: Clock;
  limits?: Partial<ForwardLimits>;
  tracer?: Tracer | undefined;
}

export function createForwarder(upstream: Upstream): Forwarder {
  const { timeoutMs, environment, clock, tracer } = upstream;
  const limits = { ...FORWARD_LIMITS, ...upstream.limits };
  const url = new URL(upstream.url);
  const prefix = url.pathname.replace(/\/$/, '');
  const spans = tracer && createUpstreamSpans(tracer, url);
  const inFlight = new CallsInFlight(limits, clock);
  const pool = openUpstreamPool(url.origin, {
    connections: limits.callsInFlight,
    bodyTimeoutMs: timeoutMs,
    certificate: upstream.certificate,
  });

  function withSlot({ call, caller, endpoint, grant, method }: Permitted): Reserved {
    const { partnerId } = caller;
    const slot = new Slot(() => inFlight.leave(partnerId));
    return { call, caller, endpoint, grant, method, slot };
  }

  return {
    reserve(permitted) {
      const waiting = inFlight.enter(permitted.caller.partnerId);
      if (!waiting) return withSlot(permitted);
      return waiting.then(() => {
        const reserved = withSlot(permitted);
        if (!reserved.call.response.closed) return reserved;
        // The caller hung up while it waited, so the call must not count against its limit.
        reserved.slot.release();
        throw new Refusal('tooManyCallsInFlight');
      });
    },

    forward: (counted) =>
      new Promise((resolve, reject) => {
        const { call, endpoint, method, slot } = counted.stage;
        if (call.response.closed) {
          // The caller hung up while its limit was being checked.
          slot.release();
          resolve();
          return;
        }
        const span = spans?.begin(call);
        const exchange = new UpstreamExchange({
          counted,
          timeoutMs,
          clock,
          limits,
          resolve,
          reject,
          ended: spans?.ending(span, call),
        });
        exchange.withBody((body) => {
          const headers = headersFor(counted.stage, environment, span);
          const path = `${prefix}/${endpoint}${call.query}`;
          slot.share();
          pool.dispatch({ path, method, headers, body }, exchange);
        });
      }),

    close: () => pool.destroy(),
  };
}

function headersFor(
  { call, caller, grant }: Permitted,
  environment: EnvironmentName,
  span: OpenSpan | undefined,
): string[] {
  const headers = requestHeadersToPass(call.request.rawHeaders, grant.is_debug_mode);
  headers.push(
    'X-Bellhop-Key-Id',
    caller.keyId,
    'X-Bellhop-Partner-Id',
    caller.partnerId,
    'X-Bellhop-Environment',
    environment,
    'X-Request-Id',
    call.id,
    'Forwarded',
    forwardedBy(call),
  );
  pushTraceHeaders(headers, call, span);
  return headers;
}

/** RFC 7239. A host that would need escaping is left out. */
function forwardedBy(call: Call): string {
  const from = call.address.includes(':') ? `"[${call.address}]"` : call.address;
  const { headers, socket } = call.request;
  const proto = 'encrypted' in socket ? 'https' : 'http';
  const host = headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host)
    ? `for=${from};host="${host}";proto=${proto}`
    : `for=${from};proto=${proto}`;
}
