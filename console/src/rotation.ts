/** Until when a key's old API key still works; null where there is none, or no longer. */
import type { Key } from './model.ts';

export function overlapEnd({ previous_key_valid_until: until }: Key, nowMs: number): string | null {
  return until !== null && Date.parse(until) > nowMs ? until : null;
}
