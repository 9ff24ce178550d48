/**
 * Counters, gauges and histograms in the Prometheus text format. The hot path keeps a reference to its
 * series, so that counting is an addition and not a look-up by labels.
 */
type Labels = Record<string, string>;

export interface Counter {
  add(amount?: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** Seconds; from a cached overview to a slow receiver. */
const BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  series: Map<string, { lines(): string[] }>;
}

export class Metrics {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string, labels: Labels = {}): Counter {
    return this.#series(name, help, 'counter', labels, () => new CounterSeries(name, labels));
  }

  histogram(name: string, help: string, labels: Labels = {}): Histogram {
    return this.#series(name, help, 'histogram', labels, () => new HistogramSeries(name, labels));
  }

  /** `read` is called when the metrics are requested. */
  gauge(name: string, help: string, labels: Labels, read: () => number): void {
    this.#series(name, help, 'gauge', labels, () => ({
      lines: () => [`${name}${written(labels)} ${read()}`],
    }));
  }

  text(): string {
    const lines: string[] = [];
    for (const { name, help, type, series } of this.#families.values()) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const one of series.values()) lines.push(...one.lines());
    }
    return `${lines.join('\n')}\n`;
  }

  #series<S extends { lines(): string[] }>(
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
    const key = written(labels);
    let series = family.series.get(key);
    if (!series) {
      series = create();
      family.series.set(key, series);
    }
    return series as S;
  }
}

/** Merges the texts of several threads: a family that both have may be described only once. */
export function joinMetrics(...texts: string[]): string {
  const families = new Map<string, string>();
  for (const family of texts.join('').split(/^(?=# HELP )/m)) {
    const head = /^# HELP .*\n# TYPE .*\n/.exec(family)?.[0] ?? '';
    const known = families.get(head);
    families.set(head, known === undefined ? family : known + family.slice(head.length));
  }
  return [...families.values()].join('');
}

class CounterSeries implements Counter {
  readonly #name: string;
  readonly #labels: Labels;
  #value = 0;

  constructor(name: string, labels: Labels) {
    this.#name = name;
    this.#labels = labels;
  }

  add(amount = 1): void {
    this.#value += amount;
  }

  lines(): string[] {
    return [`${this.#name}${written(this.#labels)} ${this.#value}`];
  }
}

class HistogramSeries implements Histogram {
  readonly #name: string;
  readonly #labels: Labels;
  readonly #counts = new Array<number>(BUCKETS.length + 1).fill(0);
  #sum = 0;

  constructor(name: string, labels: Labels) {
    this.#name = name;
    this.#labels = labels;
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < BUCKETS.length && value > (BUCKETS[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  lines(): string[] {
    const lines: string[] = [];
    let total = 0;
    for (const [i, count] of this.#counts.entries()) {
      total += count;
      const le = i < BUCKETS.length ? String(BUCKETS[i]) : '+Inf';
      lines.push(`${this.#name}_bucket${written({ ...this.#labels, le })} ${total}`);
    }
    lines.push(`${this.#name}_sum${written(this.#labels)} ${this.#sum}`);
    lines.push(`${this.#name}_count${written(this.#labels)} ${total}`);
    return lines;
  }
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
