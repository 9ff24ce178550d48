import type { DeliveryProgress } from '../../store/queue/read-deliveries.ts';

/**
 * When the attempts that are left would come if each failed at once. The first is the one that
 * waits; of an attempt under way, those after it. None of one that waits for an earlier event of its
 * order: nobody knows how long.
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
    // After the one by hand.
    atMs = Math.max(scheduledAtMs, atMs);
    times.push(atMs);
  }
  for (const waitMs of schedule.slice(retriesUsed)) {
    atMs += waitMs;
    times.push(atMs);
  }
  return times.map((ms) => new Date(ms).toISOString());
}
