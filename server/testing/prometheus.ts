/**
 * Strict readers of the Prometheus text format 0.0.4 and of OpenMetrics 1.0. They throw at anything that any
 * scraper might reject, even if most would not.
 */
export interface Family {
  name: string;
  type: string;
  help: string;
  samples: Sample[];
}

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
  /** Only in OpenMetrics. */
  exemplar?: { labels: Record<string, string>; value: number; atSeconds: number };
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const NUMBER = /^(NaN|[+-]?Inf|[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i;

export function readPrometheus(text: string): Map<string, Family> {
  return readText(text, 'prometheus');
}

/** By the names of the families, which are those of counters without `_total`. */
export function readOpenMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n# EOF\n')) throw new Error('The last line is not # EOF.');
  return readText(text.slice(0, -'# EOF\n'.length), 'openmetrics');
}

function readText(text: string, format: 'prometheus' | 'openmetrics'): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line has no newline.');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let help: { name: string; text: string } | undefined;
  let family: Family | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (comment?.[1] === 'HELP') {
      help = { name: comment[2] as string, text: comment[3] as string };
    } else if (comment) {
      family = begin(comment[2] as string, comment[3] as string);
    } else {
      addSample(line);
    }
  }
  for (const one of families.values()) checkFamily(one, format);
  return families;

  function begin(name: string, type: string): Family {
    if (!NAME.test(name)) throw new Error(`${name} is not a name.`);
    if (help?.name !== name) throw new Error(`${name} has no HELP right before its TYPE.`);
    if (families.has(name)) throw new Error(`${name} is there twice.`);
    if (!['counter', 'gauge', 'histogram'].includes(type))
      throw new Error(`${type} is not a type.`);
    const begun = { name, type, help: help.text, samples: [] };
    families.set(name, begun);
    return begun;
  }

  function addSample(whole: string): void {
    const [line = '', exemplar, ...more] = format === 'openmetrics' ? whole.split(' # ') : [whole];
    if (more.length > 0) throw new Error(`This has two exemplars: ${whole}`);
    const match = /^([^{\s]+)(?:\{(.*)\})? (\S+)$/s.exec(line);
    if (!match) throw new Error(`This is not a sample: ${line}`);
    const [, name = '', labelText, valueText = ''] = match;
    if (!family || !belongsTo(name, family, format))
      throw new Error(`${name} has no TYPE before it.`);
    if (!NUMBER.test(valueText)) throw new Error(`${valueText} is not a number.`);
    const labels = labelText === undefined ? {} : readLabels(labelText);
    const series = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(series)) throw new Error(`This series appears twice: ${line}`);
    seen.add(series);
    const sample: Sample = { name, labels, value: readNumber(valueText) };
    if (exemplar !== undefined) sample.exemplar = readExemplar(exemplar, sample);
    family.samples.push(sample);
  }
}

/** OpenMetrics: up to 128 characters of labels, a value inside the bucket, and a time. */
function readExemplar(text: string, { name, labels: { le } }: Sample): Sample['exemplar'] {
  const match = /^\{(.*)\} (\S+) (\d+(?:\.\d+)?)$/.exec(text);
  if (!match) throw new Error(`This is not an exemplar: ${text}`);
  const labels = readLabels(match[1] as string);
  if (Object.entries(labels).flat().join('').length > 128) throw new Error('A long exemplar.');
  const value = readNumber(match[2] as string);
  if (!name.endsWith('_bucket') || value > readNumber(le ?? '')) {
    throw new Error(`This exemplar is not of its bucket: ${text}`);
  }
  return { labels, value, atSeconds: Number(match[3]) };
}

function belongsTo(name: string, family: Family, format: string): boolean {
  if (family.type === 'counter' && format === 'openmetrics') return name === `${family.name}_total`;
  if (family.type !== 'histogram') return name === family.name;
  return ['_bucket', '_sum', '_count'].some((end) => name === family.name + end);
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (!match) throw new Error(`These are not labels: {${text}}`);
    const [, name = '', value = ''] = match;
    if (Object.hasOwn(labels, name)) throw new Error(`The label ${name} is there twice.`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one));
  }
  return labels;
}

function readNumber(text: string): number {
  return /Inf$/i.test(text) ? Number(text.replace(/Inf$/i, 'Infinity')) : Number(text);
}

function checkFamily({ name, type, samples }: Family, format: string): void {
  if (samples.length === 0) throw new Error(`${name} has no samples.`);
  if (type === 'counter' && name.endsWith('_total') !== (format === 'prometheus')) {
    throw new Error(`${name} has, or lacks, _total.`);
  }
  const isCanonical = (bound = '') => /^(\+Inf|\d+\.\d+|\d\.?\d*e-\d+)$/.test(bound);
  if (format === 'openmetrics' && type === 'histogram') {
    const bounds = samples.flatMap(({ labels: { le } }) => le ?? []);
    if (!bounds.every(isCanonical)) throw new Error(`${name} has a bound that is not canonical.`);
  }
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) {
    throw new Error(`${name} counts backwards.`);
  }
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: Sample[]): void {
  const bySeries = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest));
  for (const [labels, series] of bySeries) {
    const buckets = series.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = '' } }) => readNumber(le));
    const counts = buckets.map(({ value }) => value);
    const count = series.find((sample) => sample.name === `${name}_count`)?.value;
    const sum = series.find((sample) => sample.name === `${name}_sum`)?.value;
    const ascends = (list: number[]) =>
      list.every((one, i) => i === 0 || one >= Number(list[i - 1]));
    if (!ascends(bounds) || !ascends(counts)) throw new Error(`${name}${labels} is out of order.`);
    if (bounds.at(-1) !== Infinity) throw new Error(`${name}${labels} has no bucket +Inf.`);
    if (count !== counts.at(-1) || sum === undefined) {
      throw new Error(`${name}${labels} does not add up.`);
    }
  }
}

/** The value of the first sample with this name and these labels; undefined if there is none. */
export function sampleOf(
  metrics: { text(): string },
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const samples = [...readPrometheus(metrics.text()).values()].flatMap((family) => family.samples);
  return samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}
