/** One line or a few for each combination of labels, in the Prometheus and the OpenMetrics text format. */
export type Labels = Readonly<Record<string, string>>;

/**
 * `prometheus` is the text format 0.0.4. `openmetrics` is OpenMetrics 1.0, which also has exemplars: beside a
 * bucket's count, the trace of one call in that bucket.
 */
export type MetricsFormat = 'prometheus' | 'openmetrics';

export interface Series {
  lines(format: MetricsFormat): string[];
}

export class CounterSeries implements Series {
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
    return [sampleLine(this.#name, this.#labels, this.#value)];
  }
}

interface Exemplar {
  traceId: string;
  value: number;
  atMs: number;
}

export class HistogramSeries implements Series {
  readonly #name: string;
  readonly #labels: Labels;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  /** The latest of each bucket; undefined until a call was traced. */
  #exemplars: Exemplar[] | undefined;
  #sum = 0;

  constructor(name: string, labels: Labels, bounds: readonly number[]) {
    this.#name = name;
    this.#labels = labels;
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number, traceId?: string): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
    if (traceId !== undefined) {
      this.#exemplars ??= [];
      this.#exemplars[bucket] = { traceId, value, atMs: Date.now() };
    }
  }

  lines(format: MetricsFormat): string[] {
    const lines: string[] = [];
    let total = 0;
    for (const [i, count] of this.#counts.entries()) {
      total += count;
      const labels = { ...this.#labels, le: boundText(this.#bounds[i], format) };
      const exemplar = format === 'openmetrics' ? exemplarText(this.#exemplars?.[i]) : '';
      lines.push(sampleLine(`${this.#name}_bucket`, labels, total) + exemplar);
    }
    lines.push(sampleLine(`${this.#name}_sum`, this.#labels, this.#sum));
    lines.push(sampleLine(`${this.#name}_count`, this.#labels, total));
    return lines;
  }
}

/** OpenMetrics asks for canonical numbers, because a bound is a label: `1.0`, not `1`. */
function boundText(bound: number | undefined, format: MetricsFormat): string {
  if (bound === undefined) return '+Inf';
  return format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function exemplarText(exemplar: Exemplar | undefined): string {
  if (!exemplar) return '';
  const { traceId, value, atMs } = exemplar;
  return ` # {trace_id="${traceId}"} ${value} ${atMs / 1_000}`;
}

export function sampleLine(name: string, labels: Labels, value: number): string {
  return `${name}${labelText(labels)} ${numberText(value)}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
