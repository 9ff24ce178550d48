/**
 * A strict reader of the Prometheus text format 0.0.4. It throws at anything that any scraper might
 * reject, even if most would not.
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
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y;
const NUMBER = /^(NaN|[+-]?Inf|[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i;

export function readPrometheus(text: string): Map<string, Family> {
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
  for (const one of families.values()) checkFamily(one);
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

  function addSample(line: string): void {
    const match = /^([^{\s]+)(?:\{(.*)\})? (\S+)$/s.exec(line);
    if (!match) throw new Error(`This is not a sample: ${line}`);
    const [, name = '', labelText, valueText = ''] = match;
    if (!family || !belongsTo(name, family)) throw new Error(`${name} has no TYPE before it.`);
    if (!NUMBER.test(valueText)) throw new Error(`${valueText} is not a number.`);
    const labels = labelText === undefined ? {} : readLabels(labelText);
    const series = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(series)) throw new Error(`This series appears twice: ${line}`);
    seen.add(series);
    family.samples.push({ name, labels, value: readNumber(valueText) });
  }
}

function belongsTo(name: string, family: Family): boolean {
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

function checkFamily({ name, type, samples }: Family): void {
  if (samples.length === 0) throw new Error(`${name} has no samples.`);
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`${name} lacks _total.`);
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
