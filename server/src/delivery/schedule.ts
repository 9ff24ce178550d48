/** What comes after an attempt: done, the next wait, or the end of the schedule. */
import type { Attempted, AttemptRecord, Settlement } from './stages.ts';

/** `schedule` holds the waits before each retry, counted from the end of the attempt before. */
export function settlementOf(attempted: Attempted, schedule: readonly number[]): Settlement {
  const { claimed } = attempted.signed;
  const attempt = recordOf(attempted);
  if (attempt.outcome === 'delivered') {
    return settled(attempted, attempt, 'delivered');
  }
  const waitMs = schedule[claimed.retriesUsed];
  if (waitMs === undefined) return settled(attempted, attempt, 'exhausted');
  return {
    claimed,
    attempt,
    state: 'pending',
    dueAtMs: attempted.endedAtMs + waitMs,
    settledAtMs: null,
    retriesUsed: claimed.retriesUsed + 1,
  };
}

function settled(
  { signed, endedAtMs }: Attempted,
  attempt: AttemptRecord,
  state: 'delivered' | 'exhausted',
): Settlement {
  const { claimed } = signed;
  const { retriesUsed } = claimed;
  return { claimed, attempt, state, dueAtMs: null, settledAtMs: endedAtMs, retriesUsed };
}

export function recordOf({ signed, outcome, startedAtMs }: Attempted): AttemptRecord {
  const answered = outcome.kind === 'answered' ? outcome : undefined;
  const delivered = answered !== undefined && answered.status >= 200 && answered.status < 300;
  return {
    number: signed.claimed.attemptNumber,
    startedAtMs,
    durationMs: Math.round(outcome.durationMs),
    outcome: delivered ? 'delivered' : 'failed',
    statusCode: answered?.status ?? null,
    replyExcerpt: answered?.replyExcerpt ?? null,
    error: delivered ? null : errorOf(outcome),
    signatureTimestamp: signed.timestamp,
    signatureToken: signed.token,
  };
}

function errorOf(outcome: Attempted['outcome']): string {
  if (outcome.kind === 'failed') return outcome.message;
  const { status } = outcome;
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}, a redirect, which is not followed; only 2xx counts as delivered.`;
  }
  return `The receiver answered ${status}; only 2xx counts as delivered.`;
}
