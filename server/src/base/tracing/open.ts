/** Opens a thread's tracer, if the OTEL_* variables ask for one. Nothing else is loaded if they do not. */
import { hostname } from 'node:os';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { VERSION } from '../version.ts';
import { isTracingAsked, readTracingSettings } from './settings.ts';
import type { Tracer } from './tracer.ts';

export interface TracingParts {
  variables: Readonly<Record<string, string | undefined>>;
  /** As in the metrics of threads. */
  thread: string;
  metrics: Metrics;
  log: Log;
}

export async function openTracer(
  { variables, thread, metrics, log }: TracingParts,
  closing: AsyncDisposableStack,
): Promise<Tracer | undefined> {
  const exported = metrics.counter(
    'bellhop_trace_spans_exported_total',
    'Spans that the trace collector has accepted.',
    { thread },
  );
  const [droppedAtQueue, droppedAtExport] = ['queue_full', 'not_exported'].map((reason) =>
    metrics.counter(
      'bellhop_trace_spans_dropped_total',
      'Spans lost because the trace collector was too slow, away, or refused them.',
      { thread, reason },
    ),
  ) as [typeof exported, typeof exported];
  if (!isTracingAsked(variables)) return undefined;
  const { settings, warnings } = readTracingSettings(variables);
  for (const warning of warnings) log.warn(warning);
  if (!settings) return undefined;

  const [{ Tracer }, { SpanExporter }, { createSampler }] = await Promise.all([
    import('./tracer.ts'),
    import('./exporter.ts'),
    import('./sampler.ts'),
  ]);
  const source = {
    resource: {
      'service.version': VERSION,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'host.name': hostname(),
      ...settings.resource,
    },
    scope: { name: `bellhop/${thread}`, version: VERSION },
  };
  const encoding =
    settings.protocol === 'http/json'
      ? (await import('./otlp-json.ts')).jsonEncoding(source)
      : (await import('./otlp-protobuf.ts')).protobufEncoding(source);
  const exporter = new SpanExporter({
    settings: settings.exporting,
    encoding,
    exported,
    droppedAtQueue,
    droppedAtExport,
    log,
  });
  closing.defer(() => exporter.stop());
  const { name, ratio } = settings.sampler;
  return new Tracer({ sampler: createSampler(name, ratio), encoding, exporter });
}
