import type { DeliveryProgress } from '../../store/queue/read-deliveries.ts';

/**
 * When the remaining attempts would start if each one failed immediately. An attempt in flight is not among
 * them. Empty if the delivery waits for an earlier event of its order, because nobody knows for how long.
 */
export function futureAttempts(
  progress: Pick<DeliveryProgress, 'state' | 'dueAtMs' | 'retriesUsed' | 'scheduledAtMs'>,
  inFlight: boolean,
  schedule: readonly number[],
  nowMs: number,
): string[] {
  const { state, dueAtMs, retriesUsed, scheduledAtMs } = progress;
  if (state !== 'pending') return [];
  const times: number[] = [];
  let atMs = nowMs;
  if (!inFlight) {
    if (dueAtMs === null) return [];
    atMs = Math.max(dueAtMs, nowMs);
    times.push(atMs);
  }
  if (scheduledAtMs !== null) {
    // The scheduled attempt follows the one that support requested.
    atMs = Math.max(scheduledAtMs, atMs);
    times.push(atMs);
  }
  for (const waitMs of schedule.slice(retriesUsed)) {
    atMs += waitMs;
    times.push(atMs);
  }
  return times.map((ms) => new Date(ms).toISOString());
}
