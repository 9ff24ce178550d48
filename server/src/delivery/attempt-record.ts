/** The record of an attempt: everything that people ask about later, as it was at the time. */
import type { Answered, Failed } from '../receiver/exchange.ts';
import { failures } from '../receiver/failure-codes.ts';
import type { AttemptRecord } from './attempt.ts';
import { requestOf } from './sign.ts';
import type { Due, LaneConfig, Signed } from './stages.ts';

export function recordOf(
  signed: Signed,
  outcome: Answered | Failed,
  startedAtMs: number,
): AttemptRecord {
  const delivered = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
  return {
    number: signed.due.attempts_made + 1,
    started_at: startedAtMs,
    duration_ms: Math.round(outcome.durationMs),
    outcome: delivered ? 'delivered' : 'failed',
    status_code: outcome.status,
    reply_excerpt: outcome.replyExcerpt,
    error: delivered ? null : errorOf(outcome),
    failure_code: delivered ? null : outcome.kind === 'failed' ? outcome.code : 'status',
    ...signed.request,
  };
}

/** For an attempt that failed at signing, so nothing was sent. */
export function recordOfUnsigned(due: Due, lane: LaneConfig, startedAtMs: number): AttemptRecord {
  return {
    number: due.attempts_made + 1,
    started_at: startedAtMs,
    duration_ms: 0,
    outcome: 'failed',
    status_code: null,
    reply_excerpt: null,
    error: failures.signing.meaning,
    failure_code: 'signing',
    ...requestOf(lane, lane.signingKey.current, { nowMs: startedAtMs, token: '' }),
  };
}

function errorOf(outcome: Answered | Failed): string {
  if (outcome.kind === 'failed') return outcome.message;
  const { status } = outcome;
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}, a redirect, which is not followed; only 2xx counts as delivered.`;
  }
  return `The receiver answered ${status}; only 2xx counts as delivered.`;
}
