/** The record of an attempt: everything that people ask about later, as it was at the time. */

import type { Answered, Failed } from '../receiver/exchange.ts';
import { USER_AGENT } from '../version.ts';
import type { AttemptRecord, Due, LaneConfig, Signed } from './stages.ts';

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
    startedAtMs,
    durationMs: Math.round(outcome.durationMs),
    outcome: delivered ? 'delivered' : 'failed',
    statusCode: outcome.status,
    replyExcerpt: outcome.replyExcerpt,
    error: delivered ? null : errorOf(outcome),
    failureCode: delivered ? null : outcome.kind === 'failed' ? outcome.code : 'status',
    signatureTimestamp: signed.timestamp,
    signatureToken: signed.token,
    url: signed.url,
    bodyForm: signed.bodyForm,
    userAgent: USER_AGENT,
    keyId: signed.keyId,
    keyFingerprint: signed.keyFingerprint,
  };
}

/** For an attempt that failed at signing, so nothing was sent. */
export function recordOfUnsigned(due: Due, lane: LaneConfig, startedAtMs: number): AttemptRecord {
  return {
    number: due.attemptNumber,
    startedAtMs,
    durationMs: 0,
    outcome: 'failed',
    statusCode: null,
    replyExcerpt: null,
    error: UNSIGNED,
    failureCode: 'signing',
    signatureTimestamp: Math.floor(startedAtMs / 1_000),
    signatureToken: '',
    url: lane.url,
    bodyForm: lane.bodyForm,
    userAgent: USER_AGENT,
    keyId: lane.signingKey.keyId,
    keyFingerprint: lane.signingKey.current.fingerprint,
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
