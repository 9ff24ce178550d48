import { Bar } from '@visx/shape';
import type { UsageHistoryItem, UsageStep } from '../../api/types.ts';
import { Chart } from '../../ui/charts/Chart.tsx';
import { Legend, toneClass } from '../../ui/charts/Legend.tsx';
import { timeAfter } from '../../ui/charts/moments.ts';
import { StackedBars } from '../../ui/charts/StackedBars.tsx';
import { inDigits, percent } from '../../ui/text/numbers.ts';
import { words } from '../../words/words.ts';
import { bucketsOf, spans, type UsageBucket } from './buckets.ts';
import type { CallsOpening } from './calls-opening.ts';

const series = [
  { field: 'answered', label: words.usage.legend.answered, tone: 'good' },
  { field: 'failed', label: words.usage.legend.failed, tone: 'bad' },
  { field: 'refused', label: words.usage.legend.refused, tone: 'warn' },
] as const;
/** The axis of a share ends at all of it. */
const FULL = [1];
type Field = (typeof series)[number]['field'];

interface Props {
  items: readonly UsageHistoryItem[];
  step: UsageStep;
  /** Where there is a list of the calls. */
  calls?: CallsOpening | undefined;
}

export function UsageCharts({ items, step, calls }: Props) {
  const shown = {
    buckets: bucketsOf(items, step, Date.now()),
    span: step === 'hour' ? ('week' as const) : ('days' as const),
    inLast: (what: string) => words.usage.inLast(spans[step].days, what),
  };
  return (
    <>
      <CallsChart step={step} calls={calls} {...shown} />
      <PeakChart {...shown} />
    </>
  );
}

interface Shown {
  buckets: UsageBucket[];
  span: 'week' | 'days';
  /** The same for all of it. */
  inLast(what: string): string;
}

function CallsChart({ step, calls, buckets, span, inLast }: Shown & Omit<Props, 'items'>) {
  const inWords = (counts: Record<Field, number>) =>
    words.usage.counts(
      inDigits(counts.answered),
      inDigits(counts.failed),
      inDigits(counts.refused),
    );
  const sum = (field: Field) => buckets.reduce((total, bucket) => total + bucket[field], 0);
  const spanOf = ({ at }: UsageBucket) => ({
    since: at,
    until: timeAfter(at, spans[step].stepMs),
  });
  const sums = { answered: sum('answered'), failed: sum('failed'), refused: sum('refused') };
  return (
    <Chart<UsageBucket>
      title={words.usage.calls[step]}
      total={inWords(sums)}
      description={inLast(inWords(sums))}
      span={span}
      buckets={buckets}
      heights={buckets.map((b) => b.answered + b.failed + b.refused)}
      format={inDigits}
      summary={(bucket) => inWords(bucket)}
      columns={[
        [words.usage.columns.answered, (b) => inDigits(b.answered)],
        [words.usage.columns.failed, (b) => inDigits(b.failed)],
        [words.usage.columns.refused, (b) => inDigits(b.refused)],
      ]}
      legend={<Legend meanings={series} />}
      opening={
        calls && {
          what: words.usage.refusedAndFailed,
          has: ({ failed, refused }) => failed + refused > 0,
          open: (bucket) => calls.open(spanOf(bucket)),
          link: (bucket, moment) => calls.link(spanOf(bucket), moment),
        }
      }
    >
      {(scales) => <StackedBars buckets={buckets} series={series} scales={scales} />}
    </Chart>
  );
}

function PeakChart({ buckets, span, inLast }: Shown) {
  const shares = buckets.flatMap(({ peak_share }) => peak_share ?? []);
  const total =
    shares.length > 0 ? words.usage.atMost(percent(Math.max(...shares))) : words.limits.none;
  return (
    <Chart
      title={words.usage.peak}
      total={total}
      description={inLast(total)}
      span={span}
      buckets={buckets}
      heights={FULL}
      format={percent}
      summary={({ peak_share }) =>
        peak_share === null ? words.usage.noLimitedCalls : percent(peak_share)
      }
      columns={[
        [words.usage.share, ({ peak_share }) => (peak_share === null ? '–' : percent(peak_share))],
      ]}
      legend={
        <Legend
          meanings={[
            { label: words.usage.shareLegend, tone: 'plain' },
            { label: words.usage.fullLegend, tone: 'bad' },
          ]}
        />
      }
    >
      {({ x, y }) =>
        buckets.map(({ at, peak_share }) =>
          peak_share === null ? null : (
            <Bar
              key={at}
              className={toneClass(peak_share >= 1 ? 'bad' : 'plain')}
              x={x(at) ?? 0}
              y={y(peak_share)}
              width={x.bandwidth()}
              height={y(0) - y(peak_share)}
            />
          ),
        )
      }
    </Chart>
  );
}
