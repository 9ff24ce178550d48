/**
 * Begins and ends spans. There is a tracer only if the OTEL_* variables ask for one, and it exists once per
 * thread: everything else checks for `undefined`, which is all that tracing costs when it is off.
 */
import { newRequestId, newSpanId } from '../ids.ts';
import type { SpanExporter } from './exporter.ts';
import type { Sampler } from './sampler.ts';
import type { Encoding, OpenSpan, SpanEnd } from './span.ts';
import { isSampled, type TraceContext, withSampling } from './trace-context.ts';

const TOLERATED_DRIFT_MS = 1;

export class Tracer {
  readonly #sampler: Sampler;
  readonly #encoding: Encoding;
  readonly #exporter: SpanExporter;
  /** From this process's monotonic clock to the wall clock. */
  #offsetMs = performance.timeOrigin;

  constructor(parts: { sampler: Sampler; encoding: Encoding; exporter: SpanExporter }) {
    this.#sampler = parts.sampler;
    this.#encoding = parts.encoding;
    this.#exporter = parts.exporter;
  }

  /** The first span of this service in a trace. Without a parent, it starts a trace with this id. */
  begin(parent: TraceContext | undefined, newTraceId = newRequestId()): OpenSpan {
    const traceId = parent?.traceId ?? newTraceId;
    if (this.#sampler(parent, traceId)) return recorded(traceId, parent);
    // An unrecorded span would be missing from the trace, so the next service keeps the parent.
    const flags = withSampling(parent?.flags ?? 0, false);
    const context = parent
      ? { ...parent, flags }
      : { traceId, spanId: newSpanId(), flags, state: undefined };
    return { context, parentSpanId: undefined, isRecorded: false };
  }

  /** A span below another one of this service, even if that one ended days ago. */
  child(parent: TraceContext): OpenSpan {
    if (isSampled(parent)) return recorded(parent.traceId, parent);
    return { context: parent, parentSpanId: undefined, isRecorded: false };
  }

  end({ context, parentSpanId, isRecorded }: OpenSpan, { beganMs, ...end }: SpanEnd): void {
    if (!isRecorded) return;
    // Before it is encoded: while the collector is away, a span costs next to nothing.
    if (!this.#exporter.hasRoom()) return;
    const startedMs = this.#wallOffsetMs() + (beganMs ?? performance.now() - end.durationMs);
    this.#exporter.add(this.#encoding.span({ ...end, context, parentSpanId, startedMs }));
  }

  /**
   * More exact than Date.now(): with whole milliseconds, spans would begin before their parents. They also would if it
   * changed by what passes between the readings of two clocks, when the processor is taken away.
   */
  #wallOffsetMs(): number {
    const beforeMs = performance.now();
    const wallMs = Date.now();
    const least = wallMs - performance.now() - TOLERATED_DRIFT_MS;
    const most = wallMs + 1 - beforeMs + TOLERATED_DRIFT_MS;
    // Otherwise, the wall clock was set, or the two clocks run at different speeds.
    const fits = this.#offsetMs >= least && this.#offsetMs <= most;
    if (!fits) this.#offsetMs = wallMs - beforeMs;
    return this.#offsetMs;
  }
}

function recorded(traceId: string, parent: TraceContext | undefined): OpenSpan {
  const flags = withSampling(parent?.flags ?? 0, true);
  return {
    context: { traceId, spanId: newSpanId(), flags, state: parent?.state },
    parentSpanId: parent?.spanId,
    isRecorded: true,
  };
}
