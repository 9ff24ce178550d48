/** When a key's old API key stops working; null if there is none, or if it has stopped. */
import type { Key } from '../api/types.ts';

export function overlapEnd({ previous_key_valid_until: until }: Key, nowMs: number): string | null {
  return until !== null && Date.parse(until) > nowMs ? until : null;
}
