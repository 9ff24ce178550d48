/** What follows an attempt: delivered, the next wait, or the end of the schedule. */
import type { Attempted, Settlement } from './stages.ts';

/** `schedule` holds the wait before each retry, counted from the end of the previous attempt. */
export function settlementOf(attempted: Attempted, schedule: readonly number[]): Settlement {
  const { due, attempt, endedAtMs } = attempted;
  if (attempt.outcome === 'delivered') return settled(attempted, 'delivered');
  if (due.scheduled_at !== null) return backToSchedule(attempted, due.scheduled_at);
  const waitMs = schedule[due.retries_used];
  if (waitMs === undefined) return settled(attempted, 'exhausted');
  return {
    due,
    attempt,
    state: 'pending',
    due_at: endedAtMs + waitMs,
    settled_at: null,
    retries_used: due.retries_used + 1,
  };
}

/** An attempt requested by support uses no step of the schedule; the scheduled one keeps its time. */
function backToSchedule({ due, attempt, endedAtMs }: Attempted, scheduled_at: number): Settlement {
  return {
    due,
    attempt,
    state: 'pending',
    due_at: Math.max(scheduled_at, endedAtMs),
    settled_at: null,
    retries_used: due.retries_used,
  };
}

function settled(
  { due, attempt, endedAtMs }: Attempted,
  state: 'delivered' | 'exhausted',
): Settlement {
  const { retries_used } = due;
  return { due, attempt, state, due_at: null, settled_at: endedAtMs, retries_used };
}
