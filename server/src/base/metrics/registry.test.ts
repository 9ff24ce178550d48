import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPrometheus } from '../../../testing/prometheus.ts';
import { joinMetrics, Metrics } from './registry.ts';

test('counters, gauges and histograms are in the Prometheus format', () => {
  const metrics = new Metrics();
  metrics.counter('a_total', 'Things, counted.', { kind: 'x' }).add();
  metrics.counter('a_total', 'Things, counted.', { kind: 'x' }).add(2);
  metrics.counter('a_total', 'Things, counted.', { kind: 'y' });
  metrics.counter('b_total', 'Without labels.').add(0.5);
  let level = 1;
  metrics.gauge('level', 'Now.', {}, () => level);
  level = -3.5;
  const seconds = metrics.histogram('took_seconds', 'Time.', { kind: 'x' });
  for (const value of [0, 0.0005, 0.3, 59, 61]) seconds.observe(value);

  const families = readPrometheus(metrics.text());
  expect([...families.keys()]).toEqual(['a_total', 'b_total', 'level', 'took_seconds']);
  expect(families.get('a_total')).toEqual({
    name: 'a_total',
    type: 'counter',
    help: 'Things, counted.',
    samples: [
      { name: 'a_total', labels: { kind: 'x' }, value: 3 },
      { name: 'a_total', labels: { kind: 'y' }, value: 0 },
    ],
  });
  expect(families.get('b_total')?.samples).toEqual([{ name: 'b_total', labels: {}, value: 0.5 }]);
  expect(families.get('level')).toMatchObject({ type: 'gauge', samples: [{ value: -3.5 }] });
  const samples = families.get('took_seconds')?.samples ?? [];
  const upTo = (le: string) => samples.find(({ labels }) => labels.le === le)?.value;
  // A bucket includes its upper bound.
  expect([upTo('0.0005'), upTo('0.25'), upTo('0.5'), upTo('60'), upTo('+Inf')]).toEqual([
    2, 2, 3, 4, 5,
  ]);
  expect(samples.slice(-2)).toEqual([
    { name: 'took_seconds_sum', labels: { kind: 'x' }, value: 120.3005 },
    { name: 'took_seconds_count', labels: { kind: 'x' }, value: 5 },
  ]);
});

test('a label can have any text as its value', () => {
  const unit = fc.constantFrom(...'"\\\n\r\t {},=n#é🧳\u2028\0');
  fc.assert(
    fc.property(fc.array(fc.string({ unit }), { maxLength: 5 }), (values) => {
      const metrics = new Metrics();
      for (const value of values) metrics.counter('n_total', 'Help.', { value }).add();
      if (values.length === 0) return;
      const { samples } = readPrometheus(metrics.text()).get('n_total') ?? { samples: [] };
      expect(samples.map(({ labels }) => labels.value)).toEqual([...new Set(values)]);
    }),
  );
});

describe("the tests' own reader", () => {
  test.each([
    ['no end', '# HELP a_total h\n# TYPE a_total counter\na_total 1'],
    ['no TYPE', 'a_total 1\n'],
    ['no HELP', '# TYPE a_total counter\na_total 1\n'],
    ['a blank line', '# HELP a_total h\n# TYPE a_total counter\n\na_total 1\n'],
    ['no number', '# HELP a_total h\n# TYPE a_total counter\na_total one\n'],
    ['undefined', '# HELP a h\n# TYPE a gauge\na undefined\n'],
    ['a series twice', '# HELP a h\n# TYPE a gauge\na{b="c"} 1\na{b="c"} 1\n'],
    ['an open quote', '# HELP a h\n# TYPE a gauge\na{b="c} 1\n'],
    ['an unknown escape', '# HELP a h\n# TYPE a gauge\na{b="\\t"} 1\n'],
    [
      'buckets that shrink',
      '# HELP h h\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    ],
    ['no +Inf', '# HELP h h\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n'],
    [
      'a wrong count',
      '# HELP h h\n# TYPE h histogram\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n',
    ],
  ])('refuses %s', (_what, text) => {
    expect(() => readPrometheus(text)).toThrow();
  });
});

test('a family that two threads share is described once', () => {
  const [one, other] = [new Metrics(), new Metrics()];
  one.counter('calls_total', 'Calls.', { listener: 'a' }).add(2);
  one.counter('only_here_total', 'One.').add();
  other.gauge('before', 'Two.', {}, () => 7);
  other.counter('calls_total', 'Calls.', { listener: 'b' }).add(3);
  expect(joinMetrics('prometheus', one.text(), other.text())).toBe(
    [
      '# HELP calls_total Calls.',
      '# TYPE calls_total counter',
      'calls_total{listener="a"} 2',
      'calls_total{listener="b"} 3',
      '# HELP only_here_total One.',
      '# TYPE only_here_total counter',
      'only_here_total 1',
      '# HELP before Two.',
      '# TYPE before gauge',
      'before 7',
      '',
    ].join('\n'),
  );
  expect(joinMetrics('prometheus', '', one.text())).toBe(one.text());
});
