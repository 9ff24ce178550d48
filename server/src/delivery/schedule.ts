/** What follows an attempt: delivered, the next wait, or the end of the schedule. */
import type { Attempted, Settlement } from './stages.ts';

/** `schedule` holds the wait before each retry, counted from the end of the previous attempt. */
export function settlementOf(attempted: Attempted, schedule: readonly number[]): Settlement {
  const { due, attempt, endedAtMs } = attempted;
  if (attempt.outcome === 'delivered') return settled(attempted, 'delivered');
  if (due.scheduledAtMs !== null) return backToSchedule(attempted, due.scheduledAtMs);
  const waitMs = schedule[due.retriesUsed];
  if (waitMs === undefined) return settled(attempted, 'exhausted');
  return {
    due,
    attempt,
    state: 'pending',
    dueAtMs: endedAtMs + waitMs,
    settledAtMs: null,
    retriesUsed: due.retriesUsed + 1,
  };
}

/** An attempt requested by support uses no step of the schedule; the scheduled one keeps its time. */
function backToSchedule({ due, attempt, endedAtMs }: Attempted, dueAtMs: number): Settlement {
  return {
    due,
    attempt,
    state: 'pending',
    dueAtMs: Math.max(dueAtMs, endedAtMs),
    settledAtMs: null,
    retriesUsed: due.retriesUsed,
  };
}

function settled(
  { due, attempt, endedAtMs }: Attempted,
  state: 'delivered' | 'exhausted',
): Settlement {
  const { retriesUsed } = due;
  return { due, attempt, state, dueAtMs: null, settledAtMs: endedAtMs, retriesUsed };
}
