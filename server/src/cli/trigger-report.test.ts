import { expect, test, vi } from 'vitest';
import type { Attempt, Delivery } from './follow-delivery.ts';
import { peopleReporter } from './trigger-report.ts';

/** What people read about a failed attempt. */
function lineOf(attempt: Partial<Attempt>, skippedMs?: number): string {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    const delivery = { attempts_made: 1, in_flight: false, future_attempts: [] };
    const all = { number: 1, started_at: 0, duration_ms: 7, outcome: 'failed', ...attempt };
    const [given, made] = [delivery as unknown as Delivery, all as unknown as Attempt];
    peopleReporter(false).attempt(given, made, skippedMs);
    return String(log.mock.calls[0]?.[0]);
  } finally {
    log.mockRestore();
  }
}

test.each<[Partial<Attempt>, RegExp]>([
  [{ status_code: 500, failure_code: 'status', error: 'Why.' }, /answered 500 in 7 ms$/],
  [{ status_code: null, failure_code: 'timeout', error: 'Why.' }, /no answer in 7 ms {2}Why\.$/],
  [
    { status_code: 200, failure_code: 'unfinished_reply', error: 'Why.' },
    /unfinished 200 in 7 ms {2}Why\.$/,
  ],
])('an attempt that ended with %j says so', (attempt, line) => {
  expect(lineOf(attempt)).toMatch(line);
});

test.each([
  [0, '+0 s'],
  [30_000, '+30 s'],
  [43_200_000, '+12 h'],
  [604_350_000, '+6 d 23 h 52 min 30 s'],
])('after skipped waits of %i ms, an attempt shows the simulated time %s', (skippedMs, time) => {
  expect(lineOf({ status_code: 500, failure_code: 'status' }, skippedMs)).toContain(` ${time} `);
});
