/** A finished piece of work, as tracing systems show it. The names of attributes are OpenTelemetry's. */
import type { TraceContext } from './trace-context.ts';

/** OTLP's numbers. */
export const SERVER = 2;
export const CLIENT = 3;

/** A span that has begun: it has a place in its trace, and nothing else yet. */
export interface OpenSpan {
  readonly context: TraceContext;
  /** Undefined if it is the first of its trace. */
  readonly parentSpanId: string | undefined;
  /** If not, it only passes its context on. */
  readonly isRecorded: boolean;
}

export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanEnd {
  name: string;
  kind: typeof SERVER | typeof CLIENT;
  /** On the thread's monotonic clock. Without it, the span ends now. */
  beganMs?: number;
  durationMs: number;
  attributes: Attributes;
  /** Whether the work failed; a caller's mistake is not a failure of the server. */
  failed: boolean;
}

export interface FinishedSpan extends Omit<SpanEnd, 'beganMs'> {
  context: TraceContext;
  parentSpanId: string | undefined;
  /** Since 1970, with fractions. */
  startedMs: number;
}

/** OTLP has nanoseconds since 1970, which a number cannot hold. */
export function microseconds(ms: number): number {
  return Math.round(ms * 1_000);
}

/**
 * How spans are written for the collector (OTLP over HTTP). Each span is encoded when it ends: encoding a
 * whole batch at once would block the thread for some milliseconds.
 */
export interface Encoding {
  contentType: string;
  span(span: FinishedSpan): Buffer;
  /** The body of one request. */
  batch(spans: readonly Buffer[]): Buffer;
}

/** What all spans of a thread have in common. */
export interface Source {
  /** `service.name` and the like. */
  resource: Readonly<Record<string, string>>;
  scope: { name: string; version: string };
}
