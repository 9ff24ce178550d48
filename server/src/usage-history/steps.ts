/** The two steps of the history, both in UTC, and how long each is kept. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

export const usageSteps = ['hour', 'day'] as const;
export type UsageStep = (typeof usageSteps)[number];

export const stepMs: Record<UsageStep, number> = { hour: HOUR_MS, day: DAY_MS };

/** Also the longest span that one request may ask for. 762 days are 25 months, whichever they are. */
export const keptMs: Record<UsageStep, number> = { hour: 90 * DAY_MS, day: 762 * DAY_MS };

/** Steps begin at whole hours and at midnight in UTC, as the milliseconds since 1970 do. */
export function startOfStep(ms: number, step: UsageStep): number {
  return ms - (ms % stepMs[step]);
}
