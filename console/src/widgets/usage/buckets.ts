/** The steps of a usage chart: every hour or day of the span, whether or not there were calls. */
import type { UsageHistoryItem, UsageStep } from '../../api/types.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The same spans as the API's own. */
export const spans: Record<UsageStep, { stepMs: number; days: number }> = {
  hour: { stepMs: HOUR_MS, days: 7 },
  day: { stepMs: DAY_MS, days: 90 },
};

export interface UsageBucket {
  at: string;
  answered: number;
  failed: number;
  refused: number;
  /** The highest of all endpoints; null if none of those called has a limit. */
  peak_share: number | null;
}

export function bucketsOf(
  items: readonly UsageHistoryItem[],
  step: UsageStep,
  nowMs: number,
): UsageBucket[] {
  const { stepMs, days } = spans[step];
  const last = nowMs - (nowMs % stepMs);
  const buckets = new Map<string, UsageBucket>();
  for (let start = last - days * DAY_MS; start <= last; start += stepMs) {
    const at = new Date(start).toISOString();
    buckets.set(at, { at, answered: 0, failed: 0, refused: 0, peak_share: null });
  }
  for (const { at, admitted, failed, refused, peak_share } of items) {
    const bucket = buckets.get(at);
    if (!bucket) continue;
    // A call can also fail before it is admitted, for example when the limit cannot be read.
    bucket.answered += Math.max(0, admitted - failed);
    bucket.failed += failed;
    bucket.refused += refused;
    if (peak_share !== null) bucket.peak_share = Math.max(bucket.peak_share ?? 0, peak_share);
  }
  return [...buckets.values()];
}
