import type { DeliveryRow } from '../store/schema.ts';

/**
 * When the attempts that are left would come if each failed at once. The first is the one that
 * waits; of an attempt under way, those after it.
 */
export function futureAttempts(
  row: Pick<DeliveryRow, 'state' | 'lease' | 'due_at' | 'retries_used' | 'scheduled_at'>,
  schedule: readonly number[],
  nowMs: number,
): string[] {
  if (row.state !== 'pending') return [];
  const times: number[] = [];
  let atMs = nowMs;
  if (row.lease === null) {
    atMs = Math.max(row.due_at ?? 0, nowMs);
    times.push(atMs);
  }
  if (row.scheduled_at !== null) {
    // After the one by hand.
    atMs = Math.max(row.scheduled_at, atMs);
    times.push(atMs);
  }
  for (const waitMs of schedule.slice(row.retries_used)) {
    atMs += waitMs;
    times.push(atMs);
  }
  return times.map((ms) => new Date(ms).toISOString());
}
