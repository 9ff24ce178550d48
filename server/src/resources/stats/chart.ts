/** How deliveries went over time: the buckets of a span, and the share of attempts that delivered. */
import type { Static } from 'typebox';
import { sumMinutes } from '../../store/minute-stats.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { Type } from '../type.ts';

const statsSpans = ['hour', 'day', 'week'] as const;

export const StatsSpan = words(statsSpans, {
  title: 'StatsSpan',
  description: 'How far the buckets and the refused calls reach back; an hour if not given.',
});

export type StatsSpan = Static<typeof StatsSpan>;

const MINUTE_MS = 60_000;
const SPANS: Record<StatsSpan, { buckets: number; stepMs: number }> = {
  hour: { buckets: 60, stepMs: MINUTE_MS },
  day: { buckets: 96, stepMs: 15 * MINUTE_MS },
  week: { buckets: 84, stepMs: 120 * MINUTE_MS },
};
const NOTHING = { delivered: 0, failed_attempts: 0, exhausted: 0 };

export const chartFields = {
  span: StatsSpan,
  from: time,
  to: time,
  step_seconds: like(60, Type.Integer()),
  buckets: Type.Array(
    reply('StatsBucket', {
      at: time,
      delivered: Type.Integer(),
      failed_attempts: Type.Integer(),
      exhausted: Type.Integer(),
    }),
  ),
};

export const SuccessRate = like(
  0.98,
  orNull(
    Type.Number({ description: 'Share of the attempts in this span that delivered, 0 to 1.' }),
  ),
);

/** Before now. */
export function startOfSpan(span: StatsSpan, nowMs: number): number {
  const { buckets, stepMs } = SPANS[span];
  return nowMs - buckets * stepMs;
}

/** The last bucket is still filling. */
export async function readChart({ store, clock }: SupportEnvironment, span: StatsSpan) {
  const { buckets: count, stepMs } = SPANS[span];
  const nowMs = clock.now();
  const toMs = nowMs - (nowMs % stepMs) + stepMs;
  const fromMs = startOfSpan(span, toMs);
  const sums = await sumMinutes(store.db, { fromMs, toMs, stepMs });
  const buckets = Array.from({ length: count }, (_, bucket) => ({
    at: new Date(fromMs + bucket * stepMs).toISOString(),
    ...(sums.get(bucket) ?? NOTHING),
  }));
  const delivered = sum(buckets.map((bucket) => bucket.delivered));
  const attempts = delivered + sum(buckets.map((bucket) => bucket.failed_attempts));
  return {
    span,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    step_seconds: stepMs / 1_000,
    buckets,
    success_rate: attempts === 0 ? null : delivered / attempts,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
