/** The earlier API keys of a key, which keep working while their rotations overlap. */
import type { ApiKeyInForce, Key } from '../api/types.ts';

/** Whether any of them works. */
export function isRotating({ overlap_ends }: Pick<Key, 'overlap_ends'>, nowMs: number): boolean {
  return overlap_ends.some((end) => Date.parse(end) > nowMs);
}

/** Those that have not stopped since the list was read. */
export function stillWorking(apiKeys: readonly ApiKeyInForce[], nowMs: number): ApiKeyInForce[] {
  return apiKeys.filter(
    ({ works_until }) => works_until === null || Date.parse(works_until) > nowMs,
  );
}
