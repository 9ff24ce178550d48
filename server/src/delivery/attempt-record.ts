/** The record of an attempt: everything that people ask about later, as it was at the time. */
import type { Answered, Failed } from '../receiver/exchange.ts';
import { USER_AGENT } from '../version.ts';
import type { AttemptRecord } from './attempt.ts';
import type { Due, LaneConfig, Signed } from './stages.ts';

const UNSIGNED =
  'The webhook could not be signed: the signing key of the midoffice cannot be read. This is an error on the server; see its log for details.';

export function recordOf(
  signed: Signed,
  outcome: Answered | Failed,
  startedAtMs: number,
): AttemptRecord {
  const delivered = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
  return {
    number: signed.due.attemptNumber,
    started_at: startedAtMs,
    duration_ms: Math.round(outcome.durationMs),
    outcome: delivered ? 'delivered' : 'failed',
    status_code: outcome.status,
    reply_excerpt: outcome.replyExcerpt,
    error: delivered ? null : errorOf(outcome),
    failure_code: delivered ? null : outcome.kind === 'failed' ? outcome.code : 'status',
    signature_timestamp: signed.timestamp,
    signature_token: signed.token,
    url: signed.url,
    body_form: signed.bodyForm,
    user_agent: USER_AGENT,
    key_id: signed.keyId,
    key_fingerprint: signed.keyFingerprint,
  };
}

/** For an attempt that failed at signing, so nothing was sent. */
export function recordOfUnsigned(due: Due, lane: LaneConfig, startedAtMs: number): AttemptRecord {
  return {
    number: due.attemptNumber,
    started_at: startedAtMs,
    duration_ms: 0,
    outcome: 'failed',
    status_code: null,
    reply_excerpt: null,
    error: UNSIGNED,
    failure_code: 'signing',
    signature_timestamp: Math.floor(startedAtMs / 1_000),
    signature_token: '',
    url: lane.url,
    body_form: lane.bodyForm,
    user_agent: USER_AGENT,
    key_id: lane.signingKey.keyId,
    key_fingerprint: lane.signingKey.current.fingerprint,
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
