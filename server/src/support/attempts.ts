import type { AttemptRow } from '../store/schema.ts';

export function showAttempt(row: Omit<AttemptRow, 'delivery_seq'>) {
  return {
    number: row.number,
    started_at: new Date(row.started_at).toISOString(),
    duration_ms: row.duration_ms,
    outcome: row.outcome,
    status_code: row.status_code,
    reply_excerpt: row.reply_excerpt,
    error: row.error,
    signature_timestamp: row.signature_timestamp,
    signature_token: row.signature_token,
  };
}

export type ShownAttempt = ReturnType<typeof showAttempt>;
