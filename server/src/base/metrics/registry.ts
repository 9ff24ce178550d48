/**
 * Counters, gauges and histograms in the Prometheus and OpenMetrics text formats. The hot path keeps a
 * reference to its series, so that counting is an addition and not a look-up by labels.
 */
import {
  CounterSeries,
  HistogramSeries,
  type Labels,
  labelText,
  type MetricsFormat,
  type Series,
  sampleLine,
} from './series.ts';

export interface Counter {
  add(amount?: number): void;
}

export interface Histogram {
  /** `traceId` becomes the exemplar of the value's bucket; leave it out if the trace is not recorded. */
  observe(value: number, traceId?: string): void;
}

/** Seconds; from a cached overview to a slow receiver. */
const BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  series: Map<string, Series>;
}

export class Metrics {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string, labels: Labels = {}): Counter {
    return this.#series(name, help, 'counter', labels, () => new CounterSeries(name, labels));
  }

  histogram(
    name: string,
    help: string,
    labels: Labels = {},
    bounds: readonly number[] = BUCKETS,
  ): Histogram {
    return this.#series(
      name,
      help,
      'histogram',
      labels,
      () => new HistogramSeries(name, labels, bounds),
    );
  }

  /** `read` is called when the metrics are requested. */
  gauge(name: string, help: string, labels: Labels, read: () => number): void {
    this.#series(name, help, 'gauge', labels, () => ({
      lines: () => [sampleLine(name, labels, read())],
    }));
  }

  /** A counter that something else keeps: `read` is called when the metrics are requested. */
  readCounter(name: string, help: string, labels: Labels, read: () => number): void {
    this.#series(name, help, 'counter', labels, () => ({
      lines: () => [sampleLine(name, labels, read())],
    }));
  }

  /** Counters whose series come and go. `labels` are those that all of them share. */
  counters(
    name: string,
    help: string,
    labels: Labels,
    read: () => Iterable<readonly [more: Labels, value: number]>,
  ): void {
    this.#series(name, help, 'counter', labels, () => ({
      lines: () =>
        [...read()].map(([more, value]) => sampleLine(name, { ...labels, ...more }, value)),
    }));
  }

  /** For OpenMetrics without the last line, `# EOF`: see `joinMetrics`. */
  text(format: MetricsFormat = 'prometheus'): string {
    const lines: string[] = [];
    for (const { name, help, type, series } of this.#families.values()) {
      // OpenMetrics names a counter without the ending that its samples have.
      const named =
        format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
      lines.push(`# HELP ${named} ${help}`, `# TYPE ${named} ${type}`);
      for (const one of series.values()) lines.push(...one.lines(format));
    }
    return `${lines.join('\n')}\n`;
  }

  #series<S extends Series>(
    name: string,
    help: string,
    type: Family['type'],
    labels: Labels,
    create: () => S,
  ): S {
    let family = this.#families.get(name);
    if (!family) {
      family = { name, help, type, series: new Map() };
      this.#families.set(name, family);
    }
    const key = labelText(labels);
    let series = family.series.get(key);
    if (!series) {
      series = create();
      family.series.set(key, series);
    }
    return series as S;
  }
}

/** Merges the texts of several threads: a family that both have may be described only once. */
export function joinMetrics(format: MetricsFormat, ...texts: string[]): string {
  const families = new Map<string, string>();
  for (const family of texts.join('').split(/^(?=# HELP )/m)) {
    const head = /^# HELP .*\n# TYPE .*\n/.exec(family)?.[0] ?? '';
    const known = families.get(head);
    families.set(head, known === undefined ? family : known + family.slice(head.length));
  }
  return [...families.values(), format === 'openmetrics' ? '# EOF\n' : ''].join('');
}
