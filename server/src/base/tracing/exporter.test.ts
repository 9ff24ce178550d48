import { expect, onTestFinished, test } from 'vitest';
import { sampleOf } from '../../../testing/prometheus.ts';
import { startCollector } from '../../../testing/trace-collector.ts';
import { createLogger } from '../logging/logger.ts';
import { Metrics } from '../metrics.ts';
import { openTracer } from './open.ts';
import { CLIENT, type SpanEnd } from './span.ts';

const END: SpanEnd = {
  name: 'work',
  kind: CLIENT,
  durationMs: 1.5,
  failed: true,
  attributes: { text: 'é "quoted"\n', number: 300, none: undefined },
};

/** A tracer that exports to a real collector. */
async function traced(variables: Record<string, string> = {}) {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const metrics = new Metrics();
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any line.
  const lines: any[] = [];
  const closing = new AsyncDisposableStack();
  const tracer = await openTracer(
    {
      variables: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '5',
        ...variables,
      },
      thread: 'services',
      metrics,
      log: createLogger('info', (line) => lines.push(JSON.parse(line))),
    },
    closing,
  );
  if (!tracer) throw new Error('There is no tracer.');
  const dropped = (reason: string) =>
    sampleOf(metrics, 'bellhop_trace_spans_dropped_total', { reason });
  const exported = () => sampleOf(metrics, 'bellhop_trace_spans_exported_total');
  /** Ends this many spans, each of its own trace. */
  const work = (count = 1) => {
    for (let i = 0; i < count; i++) tracer.end(tracer.begin(undefined), END);
  };
  return { collector, tracer, lines, dropped, exported, work, stop: () => closing.disposeAsync() };
}

test.each(['http/json', 'http/protobuf'])('%s carries everything', async (protocol) => {
  const variables = { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_SERVICE_NAME: 'é' };
  const { collector, tracer } = await traced(variables);
  const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: 1, state: 'x=1' };
  const beforeMs = Date.now();
  const span = tracer.child(parent);
  tracer.end(span, END);
  const [collected] = await collector.until(1);
  expect(collected).toEqual({
    service: 'é',
    scope: 'bellhop/services',
    traceId: parent.traceId,
    spanId: span.context.spanId,
    parentSpanId: parent.spanId,
    traceState: 'x=1',
    name: 'work',
    kind: CLIENT,
    startNano: expect.any(BigInt),
    endNano: expect.any(BigInt),
    attributes: { text: 'é "quoted"\n', number: 300 },
    failed: true,
  });
  const { startNano = 0n, endNano = 0n } = collected ?? {};
  expect(endNano - startNano).toBe(1_500_000n);
  expect(Number(endNano / 1_000_000n)).toBeGreaterThanOrEqual(beforeMs - 2);
});

test('the credentials of the endpoint arrive as a header, and nothing logs them', async () => {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const endpoint = collector.url.replace('//', '//us%40er:p%C3%A4ss%3Aword@');
  const { work, lines } = await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  work();
  await collector.untilExports(1);
  expect(collector.exports[0]?.authorization).toBe(`Basic ${btoa(utf8('us@er:päss:word'))}`);
  await collector.until(1);

  await collector.close();
  work();
  await expect.poll(() => lines.length).toBe(1);
  expect(lines[0].reason).toMatch(/ECONNREFUSED|closed|socket/);
  expect(JSON.stringify(lines)).not.toMatch(/er:|word/);
});

test('a full batch goes out at once, and a stop sends the rest', async () => {
  const { collector, work, exported, stop } = await traced({
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
  });
  work(12);
  await collector.until(10);
  expect(collector.spans).toHaveLength(10);
  await stop();
  expect(collector.spans).toHaveLength(12);
  expect(exported()).toBe(12);
});

test('an export that the collector cannot take now is repeated', async () => {
  const { collector, work, exported, dropped, lines } = await traced();
  collector.answer = 503;
  work();
  await collector.untilExports(1);
  collector.answer = 200;
  work();
  await collector.until(2);
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(2);
  work();
  await collector.until(3);
  expect(exported()).toBeGreaterThanOrEqual(2);
  expect(dropped('not_exported')).toBe(0);
  expect(lines.map(({ level, reason, msg }) => [level, reason, msg])).toEqual([
    [
      'warn',
      'The collector answered 503.',
      'spans cannot be exported; check OTEL_EXPORTER_OTLP_ENDPOINT and the collector',
    ],
    ['info', undefined, 'the trace collector takes spans again'],
  ]);
});

test('an export that the collector refuses is dropped, and the next one is tried', async () => {
  const { collector, work, dropped } = await traced();
  collector.answer = 400;
  work(3);
  await collector.untilExports(1);
  collector.answer = 200;
  work();
  await collector.until(1);
  expect(dropped('not_exported')).toBe(3);
});

test('while the collector hangs, spans beyond the queue are dropped', async () => {
  const { collector, work, dropped } = await traced({
    OTEL_BSP_MAX_QUEUE_SIZE: '4',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
  });
  collector.answer = 'hang';
  work(10);
  await collector.untilExports(1);
  work(5);
  // Two are under way, two are waiting.
  expect(dropped('queue_full')).toBe(11);
  expect(collector.exports).toHaveLength(1);
});

test('a stop does not wait for a collector that is gone', async () => {
  const { collector, work, dropped, stop } = await traced({ OTEL_BSP_SCHEDULE_DELAY: '600000' });
  await collector.close();
  work(2);
  await stop();
  expect(dropped('not_exported')).toBe(2);
});

/** The bytes of the text in UTF-8, as characters. */
function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}
