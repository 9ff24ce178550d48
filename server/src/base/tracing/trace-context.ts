/**
 * W3C Trace Context: which trace a request belongs to, as its callers and the services behind Bellhop see it
 * in `traceparent` and `tracestate`. https://www.w3.org/TR/trace-context/
 */
export interface TraceContext {
  readonly traceId: string;
  /** The span that the next service's span is a child of. */
  readonly spanId: string;
  readonly flags: number;
  /** The `tracestate` header; undefined if there is none. */
  readonly state: string | undefined;
}

const SAMPLED = 1;

/** Of version 00. Later versions may be longer, but begin in the same way. */
const LENGTH = 55;
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/;
/** What everyone must be able to pass on. A longer one is dropped, because it is also stored. */
const LONGEST_STATE = 512;
/** A list of `key=value`, as far as it matters here: text that a header can hold. */
const STATE = /^[\t\x20-\x3c\x3e-\x7e]*=[\t\x20-\x7e]*$/;

/** Undefined if there is no valid `traceparent`. Then the request starts a new trace. */
export function readTraceContext(
  traceparent: string | string[] | undefined,
  tracestate: string | string[] | undefined,
): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const match = TRACEPARENT.exec(traceparent);
  if (!match) return undefined;
  const [, version, traceId = '', spanId = '', flags = ''] = match;
  if (traceparent.length > LENGTH && (version === '00' || traceparent[LENGTH] !== '-')) {
    return undefined;
  }
  return { traceId, spanId, flags: Number.parseInt(flags, 16), state: readState(tracestate) };
}

function readState(tracestate: string | string[] | undefined): string | undefined {
  if (typeof tracestate !== 'string' || tracestate.length > LONGEST_STATE) return undefined;
  return STATE.test(tracestate) ? tracestate : undefined;
}

/** Whether the services before this one record the trace. */
export function isSampled({ flags }: TraceContext): boolean {
  return (flags & SAMPLED) !== 0;
}

export function withSampling(flags: number, sampled: boolean): number {
  return sampled ? flags | SAMPLED : flags & ~SAMPLED;
}

export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, '0')}`;
}

/** One text for a column: the two headers, separated by a space. */
export function storedTrace(context: TraceContext): string {
  const traceparent = traceparentOf(context);
  return context.state === undefined ? traceparent : `${traceparent} ${context.state}`;
}

export function readStoredTrace(stored: string): TraceContext | undefined {
  const state = stored.slice(LENGTH + 1);
  return readTraceContext(stored.slice(0, LENGTH), state === '' ? undefined : state);
}

/** The headers of the next request of this trace, for a request whose headers are an object. */
export function traceHeaders(context: TraceContext): Record<string, string> {
  const traceparent = traceparentOf(context);
  return context.state === undefined ? { traceparent } : { traceparent, tracestate: context.state };
}
