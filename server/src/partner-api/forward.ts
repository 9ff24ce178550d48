/**
 * The other 42 endpoints: the call is streamed to the booking core and the core's reply streamed
 * back as it is. Never retried, since Bellhop cannot know what a second try would book. Memory per
 * call is bounded on both sides: whoever reads slowly slows the other end down.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Call } from './call.ts';
import { CallsInFlight, Place } from './calls-in-flight.ts';
import { requestHeadersToPass } from './end-to-end-headers.ts';
import { FORWARD_LIMITS, type ForwardLimits } from './forward-limits.ts';
import { Passage } from './passage.ts';
import { Refusal } from './refusal.ts';
import { openUpstreamPool } from './upstream-pool.ts';

export interface Forwarder {
  /**
   * Before the limit is checked; undefined once the call may go on, a promise while it waits. Then
   * the call has its place: it is forwarded, or has to release it.
   */
  admit(call: Call): Promise<void> | undefined;
  forward(call: Call): Promise<void>;
  close(): Promise<void>;
}

export interface Upstream {
  url: string;
  timeoutMs: number;
  environment: EnvironmentName;
  clock: Clock;
  limits?: Partial<ForwardLimits>;
}

export function createForwarder(upstream: Upstream): Forwarder {
  const { timeoutMs, environment, clock } = upstream;
  const limits = { ...FORWARD_LIMITS, ...upstream.limits };
  const url = new URL(upstream.url);
  const prefix = url.pathname.replace(/\/$/, '');
  const inFlight = new CallsInFlight(limits, clock);
  const pool = openUpstreamPool(url.origin, {
    connections: limits.callsInFlight,
    bodyTimeoutMs: timeoutMs,
  });

  function occupy(call: Call): void {
    call.place = new Place(() => inFlight.leave(call.partnerId as string));
  }

  return {
    admit(call) {
      const waiting = inFlight.enter(call.partnerId as string);
      if (waiting) {
        return waiting.then(() => {
          occupy(call);
          if (!call.response.closed) return;
          // The caller hung up while it waited: it must not use its limit up as well.
          call.place?.release();
          throw new Refusal('tooManyCallsInFlight');
        });
      }
      occupy(call);
      return undefined;
    },

    forward: (call) =>
      new Promise((resolve, reject) => {
        const place = call.place as Place;
        if (call.response.closed) {
          // The caller hung up while its limit was looked at.
          place.release();
          resolve();
          return;
        }
        const passage = new Passage({ call, place, timeoutMs, clock, limits, resolve, reject });
        passage.withBody((body) => {
          const headers = headersFor(call, environment);
          const path = `${prefix}/${call.endpoint}${call.query}`;
          const method = call.request.method as Dispatcher.HttpMethod;
          place.share();
          pool.dispatch({ path, method, headers, body }, passage);
        });
      }),

    close: () => pool.destroy(),
  };
}

/** Stands in where no upstream is set. */
export const noUpstream: Forwarder = {
  admit: () => undefined,
  forward: () => Promise.reject(new Refusal('upstreamNotConfigured')),
  close: () => Promise.resolve(),
};

function headersFor(call: Call, environment: EnvironmentName): string[] {
  const headers = requestHeadersToPass(call.request.rawHeaders, call.grant?.is_debug_mode === true);
  headers.push(
    'X-Bellhop-Key-Id',
    call.keyId as string,
    'X-Bellhop-Partner-Id',
    call.partnerId as string,
    'X-Bellhop-Environment',
    environment,
    'X-Request-Id',
    call.id,
    'Forwarded',
    forwardedBy(call),
  );
  return headers;
}

/** RFC 7239. A host that would need escaping is left out rather than escaped. */
function forwardedBy(call: Call): string {
  const from = call.address.includes(':') ? `"[${call.address}]"` : call.address;
  const host = call.request.headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host)
    ? `for=${from};host="${host}";proto=http`
    : `for=${from};proto=http`;
}
