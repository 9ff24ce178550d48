/** The rows that a batch of counts adds to a table of the usage history. */
import type { UsageRecord } from '../usage-history/counts.ts';
import { startOfStep, type UsageStep } from '../usage-history/steps.ts';
import type { UsageRow } from './schema.ts';

export const tableOf = { hour: 'usage_hour', day: 'usage_day' } as const satisfies Record<
  UsageStep,
  string
>;

/**
 * Several hours are one day, and PostgreSQL refuses to change a row twice in one statement. The rows are
 * sorted, so that two nodes that write at the same time cannot deadlock.
 */
export function usageRowsOf(records: readonly UsageRecord[], step: UsageStep): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const { keyId, endpoint, hourMs, ...counts } of records) {
    const at = startOfStep(hourMs, step);
    const id = `${keyId} ${String(at).padStart(15, '0')} ${endpoint}`;
    const row = rows.get(id);
    if (row) {
      row.admitted += counts.admitted;
      row.refused += counts.refused;
      row.failed += counts.failed;
      row.peak_calls = higher(row.peak_calls, counts.peakCalls);
      row.peak_share = higher(row.peak_share, counts.peakShare);
    } else {
      rows.set(id, {
        key_id: keyId,
        at,
        endpoint,
        admitted: counts.admitted,
        refused: counts.refused,
        failed: counts.failed,
        peak_calls: counts.peakCalls,
        peak_share: counts.peakShare,
      });
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function higher(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
