/** Checks of single fields that a schema cannot make, and the problem that names the field. */
import { Problem } from './problem.ts';

/** `detail` completes the sentence that the field's name starts, without a full stop: "must be a number". */
export function invalidField(field: string, detail: string): Problem {
  return new Problem('validation_failed', `${field} ${detail}.`, [{ field, detail }]);
}

/** The schema accepts leap seconds, which JavaScript's dates cannot represent. */
export function readTime(text: string, field: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalidField(field, 'must be a date and time in ISO 8601');
  return ms;
}

export function readTimeOrNull(text: string | null | undefined, field: string): number | null {
  return text === null || text === undefined ? null : readTime(text, field);
}

/** Of something that is created or changed now: what has expired already would never work. */
export function checkExpiry(
  ms: number | null | undefined,
  nowMs: number,
  what: 'key' | 'token',
): void {
  if (ms === null || ms === undefined || ms > nowMs) return;
  const detail = `must be in the future; send null for a ${what} that never expires`;
  throw invalidField('/expires_at', detail);
}
