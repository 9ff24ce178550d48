import { expect, onTestFinished, test, vi } from 'vitest';
import type { SpanExporter } from './exporter.ts';
import { type FinishedSpan, SERVER } from './span.ts';
import { Tracer } from './tracer.ts';

test('a span does not begin before its parent, even if the processor is taken away while they end', () => {
  const ended: FinishedSpan[] = [];
  const tracer = new Tracer({
    sampler: () => true,
    encoding: {
      contentType: 'test',
      span(span) {
        ended.push(span);
        return Buffer.alloc(0);
      },
      batch: () => Buffer.alloc(0),
    },
    exporter: { hasRoom: () => true, add: () => {} } as Partial<SpanExporter> as SpanExporter,
  });
  const end = (beganMs: number) => ({
    ...({ name: 'one', kind: SERVER, beganMs, failed: false, attributes: {} } as const),
    durationMs: performance.now() - beganMs,
  });
  const parent = tracer.begin(undefined);
  const parentBeganMs = performance.now();
  const child = tracer.child(parent.context);
  tracer.end(child, end(performance.now()));
  const now = Date.now;
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(Date, 'now').mockImplementation(() => {
    const untilMs = performance.now() + 10;
    while (performance.now() < untilMs);
    return now();
  });
  tracer.end(parent, end(parentBeganMs));
  const [first, second] = ended as [FinishedSpan, FinishedSpan];
  expect(first.parentSpanId).toBe(second.context.spanId);
  expect(first.startedMs).toBeGreaterThanOrEqual(second.startedMs);
});
