import type { Static } from 'typebox';
import { type AttemptRecord, attemptFields } from '../../delivery/attempt.ts';
import type { Attempt } from './attempt-schemas.ts';

export type ShownAttempt = Static<typeof Attempt>;

export function showAttempt(attempt: AttemptRecord): ShownAttempt {
  const fields = Object.fromEntries(attemptFields.map((name) => [name, attempt[name]]));
  const started_at = new Date(attempt.started_at).toISOString();
  return { ...(fields as unknown as AttemptRecord), started_at };
}
