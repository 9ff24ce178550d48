/** What comes after an attempt: done, the next wait, or the end of the schedule. */
import type { Attempted, Settlement } from './stages.ts';

/** `schedule` holds the waits before each retry, counted from the end of the attempt before. */
export function settlementOf(attempted: Attempted, schedule: readonly number[]): Settlement {
  const { claimed, attempt, endedAtMs } = attempted;
  if (attempt.outcome === 'delivered') return settled(attempted, 'delivered');
  if (claimed.scheduledAtMs !== null) return backToSchedule(attempted, claimed.scheduledAtMs);
  const waitMs = schedule[claimed.retriesUsed];
  if (waitMs === undefined) return settled(attempted, 'exhausted');
  return {
    claimed,
    attempt,
    state: 'pending',
    dueAtMs: endedAtMs + waitMs,
    settledAtMs: null,
    retriesUsed: claimed.retriesUsed + 1,
  };
}

/** An attempt by hand is one more: it uses up no step, and the schedule's own comes when it was due. */
function backToSchedule({ claimed, attempt, endedAtMs }: Attempted, dueAtMs: number): Settlement {
  return {
    claimed,
    attempt,
    state: 'pending',
    dueAtMs: Math.max(dueAtMs, endedAtMs),
    settledAtMs: null,
    retriesUsed: claimed.retriesUsed,
  };
}

function settled(
  { claimed, attempt, endedAtMs }: Attempted,
  state: 'delivered' | 'exhausted',
): Settlement {
  const { retriesUsed } = claimed;
  return { claimed, attempt, state, dueAtMs: null, settledAtMs: endedAtMs, retriesUsed };
}
