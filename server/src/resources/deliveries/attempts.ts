import type { AttemptRecord } from '../../delivery/stages.ts';
import type { AttemptRow } from '../../store/schema.ts';

export function showAttempt(row: Omit<AttemptRow, 'delivery_seq'>) {
  return {
    number: row.number,
    started_at: new Date(row.started_at).toISOString(),
    duration_ms: row.duration_ms,
    outcome: row.outcome,
    status_code: row.status_code,
    reply_excerpt: row.reply_excerpt,
    error: row.error,
    failure_code: row.failure_code,
    signature_timestamp: row.signature_timestamp,
    signature_token: row.signature_token,
    url: row.url,
    body_form: row.body_form,
    user_agent: row.user_agent,
    key_id: row.key_id,
    key_fingerprint: row.key_fingerprint,
  };
}

export type ShownAttempt = ReturnType<typeof showAttempt>;

/** Shows an attempt that is not stored. */
export function showRecord(attempt: AttemptRecord): ShownAttempt {
  return showAttempt({
    number: attempt.number,
    started_at: attempt.startedAtMs,
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    status_code: attempt.statusCode,
    reply_excerpt: attempt.replyExcerpt,
    error: attempt.error,
    failure_code: attempt.failureCode,
    signature_timestamp: attempt.signatureTimestamp,
    signature_token: attempt.signatureToken,
    url: attempt.url,
    body_form: attempt.bodyForm,
    user_agent: attempt.userAgent,
    key_id: attempt.keyId,
    key_fingerprint: attempt.keyFingerprint,
  });
}
