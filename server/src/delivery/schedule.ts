/** What follows an attempt: delivered, the next wait, or the end of the schedule. */
import type { Attempted, Settlement } from './stages.ts';

/** `schedule` holds the wait before each retry, counted from the end of the previous attempt. */
export function settlementOf(
  { due, attempt, endedAtMs }: Attempted,
  schedule: readonly number[],
): Settlement {
  const { retries_used, scheduled_at } = due;
  const settled = { due, attempt, due_at: null, settled_at: endedAtMs, retries_used };
  if (attempt.outcome === 'delivered') return { ...settled, state: 'delivered' };
  const pending = { due, attempt, state: 'pending', settled_at: null, retries_used } as const;
  // An attempt requested by support uses no step of the schedule; the scheduled one keeps its time.
  if (scheduled_at !== null) return { ...pending, due_at: Math.max(scheduled_at, endedAtMs) };
  const waitMs = schedule[retries_used];
  if (waitMs === undefined) return { ...settled, state: 'exhausted' };
  return { ...pending, due_at: endedAtMs + waitMs, retries_used: retries_used + 1 };
}
