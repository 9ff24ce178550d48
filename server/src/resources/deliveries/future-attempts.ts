import type { DeliveryProgress } from '../../store/queue/read-deliveries.ts';

/**
 * When the remaining attempts would start if each one failed immediately. An attempt in flight is not among
 * them. Empty if the delivery waits for an earlier event of its order, because nobody knows for how long.
 */
export function futureAttempts(
  progress: Pick<DeliveryProgress, 'state' | 'due_at' | 'retries_used' | 'scheduled_at'>,
  inFlight: boolean,
  schedule: readonly number[],
  nowMs: number,
): string[] {
  const { state, due_at, retries_used, scheduled_at } = progress;
  if (state !== 'pending') return [];
  const times: number[] = [];
  let atMs = nowMs;
  if (!inFlight) {
    if (due_at === null) return [];
    atMs = Math.max(due_at, nowMs);
    times.push(atMs);
  }
  if (scheduled_at !== null) {
    // The scheduled attempt follows the one that support requested.
    atMs = Math.max(scheduled_at, atMs);
    times.push(atMs);
  }
  for (const waitMs of schedule.slice(retries_used)) {
    atMs += waitMs;
    times.push(atMs);
  }
  return times.map((ms) => new Date(ms).toISOString());
}
