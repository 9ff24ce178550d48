import { Bar } from '@visx/shape';
import type { UsageHistoryItem, UsageStep } from '../../api/types.ts';
import { Chart } from '../../ui/charts/Chart.tsx';
import { Legend, toneClass } from '../../ui/charts/Legend.tsx';
import { timeAfter } from '../../ui/charts/moments.ts';
import { StackedBars } from '../../ui/charts/StackedBars.tsx';
import { inDigits, percent } from '../../ui/text/numbers.ts';
import { bucketsOf, spans, type UsageBucket } from './buckets.ts';
import type { CallsOpening } from './calls-opening.ts';

const series = [
  { field: 'answered', label: 'answered', tone: 'good' },
  { field: 'failed', label: 'failed', tone: 'bad' },
  { field: 'refused', label: 'refused by the limit', tone: 'warn' },
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
    lasts: `In the last ${spans[step].days} days`,
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
  lasts: string;
}

function CallsChart({ step, calls, buckets, span, lasts }: Shown & Omit<Props, 'items'>) {
  const inWords = (counts: Record<Field, number>) =>
    series.map(({ field }) => `${inDigits(counts[field])} ${field}`).join(', ');
  const sum = (field: Field) => buckets.reduce((total, bucket) => total + bucket[field], 0);
  const spanOf = ({ at }: UsageBucket) => ({
    since: at,
    until: timeAfter(at, spans[step].stepMs),
  });
  const sums = { answered: sum('answered'), failed: sum('failed'), refused: sum('refused') };
  return (
    <Chart<UsageBucket>
      title={step === 'day' ? 'Calls per day, in UTC' : 'Calls per hour'}
      total={inWords(sums)}
      description={`${lasts}: ${inWords(sums)}.`}
      span={span}
      buckets={buckets}
      heights={buckets.map((b) => b.answered + b.failed + b.refused)}
      format={inDigits}
      summary={(bucket) => inWords(bucket)}
      columns={[
        ['Answered', (b) => inDigits(b.answered)],
        ['Failed', (b) => inDigits(b.failed)],
        ['Refused', (b) => inDigits(b.refused)],
      ]}
      legend={<Legend meanings={series} />}
      opening={
        calls && {
          what: 'the refused and failed calls',
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

function PeakChart({ buckets, span, lasts }: Shown) {
  const shares = buckets.flatMap(({ peak_share }) => peak_share ?? []);
  const total = shares.length > 0 ? `at most ${percent(Math.max(...shares))}` : 'no limit';
  return (
    <Chart
      title="Highest share of a limit"
      total={total}
      description={`${lasts}: ${total}.`}
      span={span}
      buckets={buckets}
      heights={FULL}
      format={percent}
      summary={({ peak_share }) => (peak_share === null ? 'no limited calls' : percent(peak_share))}
      columns={[['Share', ({ peak_share }) => (peak_share === null ? '–' : percent(peak_share))]]}
      legend={
        <Legend
          meanings={[
            { label: 'share of the limit that was used at once', tone: 'plain' },
            { label: 'all of it', tone: 'bad' },
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
