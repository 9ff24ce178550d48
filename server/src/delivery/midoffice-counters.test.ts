import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { readPrometheus, sampleOf } from '../../testing/prometheus.ts';
import { Metrics } from '../base/metrics.ts';
import type { AttemptRecord } from './attempt.ts';
import { countByMidoffice, MOST_MIDOFFICES, QUIET_MS } from './midoffice-counters.ts';

function counting() {
  const metrics = new Metrics();
  const clock = new ManualClock();
  const count = countByMidoffice('production', metrics, clock);
  const attempt = (midofficeId: string, outcome: AttemptRecord['outcome'] = 'delivered') =>
    count(midofficeId, { outcome, duration_ms: 250 } as AttemptRecord);
  const counted = (midoffice_id: string, outcome = 'delivered') =>
    sampleOf(metrics, 'bellhop_midoffice_attempts_total', { midoffice_id, outcome });
  const midoffices = () =>
    new Set(
      readPrometheus(metrics.text())
        .get('bellhop_midoffice_attempts_total')
        ?.samples.map(({ labels }) => labels.midoffice_id),
    );
  return { metrics, clock, attempt, counted, midoffices };
}

function fill({ attempt }: ReturnType<typeof counting>) {
  for (let i = 0; i < MOST_MIDOFFICES; i++) attempt(`mid_${i}`);
}

test('attempts are counted and timed by midoffice', () => {
  const { metrics, attempt, counted } = counting();
  attempt('mid_a');
  attempt('mid_a', 'failed');
  attempt('mid_a', 'failed');
  expect([counted('mid_a'), counted('mid_a', 'failed')]).toEqual([1, 2]);
  const name = 'bellhop_midoffice_attempt_seconds_total';
  expect(sampleOf(metrics, name, { midoffice_id: 'mid_a' })).toBe(0.75);
  expect([counted('other'), counted('other', 'failed')]).toEqual([0, 0]);
});

test('midoffices beyond the bound are counted as other', () => {
  const counters = counting();
  fill(counters);
  for (let i = 0; i < 50; i++) counters.attempt(`late_${i}`);
  expect(counters.midoffices().size).toBe(MOST_MIDOFFICES + 1);
  expect(counters.counted('other')).toBe(50);
});

test('a midoffice that has been quiet gives its series to one that is busy', () => {
  const counters = counting();
  const { clock, attempt, counted, midoffices } = counters;
  attempt('quiet');
  fill(counters);
  clock.advance(QUIET_MS - 1);
  for (let i = 0; i < MOST_MIDOFFICES; i++) attempt(`mid_${i}`);
  attempt('late');
  expect(counted('late')).toBeUndefined();
  clock.advance(2_000);
  attempt('late');
  expect(counted('late')).toBe(1);
  expect(midoffices()).not.toContain('quiet');
  expect(midoffices().size).toBe(MOST_MIDOFFICES + 1);
});

test('a failing midoffice takes the series of one that does not fail', () => {
  const counters = counting();
  const { clock, attempt, counted } = counters;
  fill(counters);
  clock.advance(QUIET_MS);
  // All are busy, and all but these two have never failed.
  fill(counters);
  attempt('mid_0', 'failed');
  attempt('mid_1', 'failed');
  clock.advance(2_000);
  attempt('late');
  expect(counted('late')).toBeUndefined();
  attempt('late', 'failed');
  expect(counted('late', 'failed')).toBe(1);
  expect([counted('mid_0'), counted('mid_1'), counted('mid_2')]).toEqual([2, 2, undefined]);
});
