/** What follows an attempt: delivered, the next wait, or the end of the schedule. */
import type { AttemptRecord } from './attempt.ts';
import type { Attempted, Settlement } from './stages.ts';

/**
 * An attempt that met the end of a used connection says nothing about the receiver, so it takes nobody's turn: no step of
 * the schedule, no request of support, no key's. It is made again at once.
 */
export function isRepeated({ failure_code }: Pick<AttemptRecord, 'failure_code'>): boolean {
  return failure_code === 'connection_reused';
}

/** How long a delivery that has used so many retries waits for the next attempt. */
export function stepBefore(retriesUsed: number, schedule: readonly number[]): number {
  // The schedule may have been shortened since: what has used more steps keeps the longest of them.
  return retriesUsed === 0 ? 0 : (schedule[retriesUsed - 1] ?? longestStep(schedule));
}

export function longestStep(schedule: readonly number[]): number {
  return Math.max(0, ...schedule);
}

/** `schedule` holds the wait before each retry, counted from the end of the previous attempt. */
export function settlementOf(
  { due, attempt, endedAtMs }: Attempted,
  schedule: readonly number[],
): Settlement {
  const { retries_used } = due;
  // What was read before the clock was set back has a time of the old clock.
  const latestMs = endedAtMs + stepBefore(retries_used, schedule);
  const scheduled_at = due.scheduled_at && Math.min(due.scheduled_at, latestMs);
  const effect = { due, attempt, last_key: attempt.key_fingerprint };
  const ended = { ...effect, settled_at: endedAtMs };
  if (attempt.outcome === 'delivered') return { ...ended, state: 'delivered' };
  const pending = { ...effect, state: 'pending', retries_used, scheduled_at: null } as const;
  if (isRepeated(attempt)) {
    return { ...pending, due_at: endedAtMs, scheduled_at, last_key: due.last_key };
  }
  // An attempt requested by support uses no step of the schedule; the scheduled one keeps its time.
  if (scheduled_at !== null) return { ...pending, due_at: Math.max(scheduled_at, endedAtMs) };
  const waitMs = schedule[retries_used];
  if (waitMs === undefined) return { ...ended, state: 'exhausted' };
  return { ...pending, due_at: endedAtMs + waitMs, retries_used: retries_used + 1 };
}
