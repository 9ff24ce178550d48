import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { readOpenMetrics, readPrometheus, sampleOf } from '../../../testing/prometheus.ts';
import { measureProcess } from './process-metrics.ts';
import { joinMetrics, Metrics } from './registry.ts';
import { measureThread } from './thread-metrics.ts';

function measured() {
  const metrics = new Metrics();
  measureProcess(metrics, '1.2.3');
  onTestFinished(measureThread(metrics, 'services'));
  return metrics;
}

test('a process shows what it uses', () => {
  const metrics = measured();
  const value = (name: string, labels = {}) => sampleOf(metrics, name, labels) ?? Number.NaN;
  expect(value('bellhop_build_info', { version: '1.2.3', node: process.versions.node })).toBe(1);
  expect(Math.abs(value('process_start_time_seconds') - Date.now() / 1_000)).toBeLessThan(
    process.uptime() + 2,
  );
  expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  expect(value('process_virtual_memory_bytes')).toBeGreaterThan(
    value('process_resident_memory_bytes'),
  );
  expect(value('process_open_fds')).toBeGreaterThan(2);
  expect(value('process_max_fds')).toBeGreaterThan(value('process_open_fds'));
  expect(value('nodejs_heap_size_total_bytes', { thread: 'services' })).toBeGreaterThan(
    value('nodejs_heap_size_used_bytes'),
  );
});

test('a thread that is blocked shows lag and activity, and a new scrape starts again', async () => {
  const metrics = measured();
  const lag = () => sampleOf(metrics, 'nodejs_eventloop_lag_max_seconds') ?? 0;
  const active = () =>
    sampleOf(metrics, 'nodejs_eventloop_time_seconds_total', { state: 'active' }) ?? 0;
  const before = active();
  // The measurement wakes up in its own time: what begins before it does, it does not see.
  await eventually(
    async () => {
      const until = performance.now() + 300;
      while (performance.now() < until);
      // A scrape starts the measurement again, so the lag must have been recorded before.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return lag();
    },
    (seconds) => seconds > 0.2,
  );
  expect(active() - before).toBeGreaterThan(0.25);
  expect(lag()).toBeLessThan(0.2);
});

test('garbage collections are counted', async () => {
  const metrics = measured();
  const minor = () => sampleOf(metrics, 'nodejs_gc_duration_seconds_count', { kind: 'minor' }) ?? 0;
  const collected = async () => {
    for (let i = 0; i < 200; i++) Array.from({ length: 10_000 }, (_, n) => ({ n }));
    return minor();
  };
  await eventually(collected, (count) => count > 0);
});

test('both formats are valid, also with exemplars', () => {
  const metrics = measured();
  const took = metrics.histogram('took_seconds', 'Time.', {});
  took.observe(0.3);
  took.observe(2, 'a'.repeat(32));
  took.observe(100, 'b'.repeat(32));
  const plain = readPrometheus(joinMetrics('prometheus', metrics.text()));
  const open = readOpenMetrics(joinMetrics('openmetrics', metrics.text('openmetrics')));
  expect([...open.keys()]).toEqual([...plain.keys()].map((name) => name.replace(/_total$/, '')));
  const exemplars = open
    .get('took_seconds')
    ?.samples.flatMap(({ labels, exemplar }) =>
      exemplar ? [[labels.le, exemplar.labels.trace_id?.[0], exemplar.value]] : [],
    );
  expect(exemplars).toEqual([
    ['2.5', 'a', 2],
    ['+Inf', 'b', 100],
  ]);
  expect(metrics.text()).not.toContain('trace_id');
});
