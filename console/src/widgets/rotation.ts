/** The earlier API keys of a key, which keep working while their rotations overlap. */
import type { Key } from '../api/types.ts';

/** When each of them stops working, the latest rotation first; without those that have stopped. */
export function overlapsOf({ overlap_ends }: Key, nowMs: number): string[] {
  return overlap_ends.filter((end) => Date.parse(end) > nowMs);
}
