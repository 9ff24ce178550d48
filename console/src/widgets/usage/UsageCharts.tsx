import { Bar, BarStack } from '@visx/shape';
import type { UsageHistoryItem, UsageStep } from '../../api/types.ts';
import { Chart } from '../../ui/charts/Chart.tsx';
import { bucketsOf, spans, type UsageBucket } from './buckets.ts';
import styles from './UsageCharts.module.css';

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const series = ['answered', 'failed', 'refused'] as const;
const classOf = { answered: styles.good, failed: styles.bad, refused: styles.warn };

interface Props {
  items: readonly UsageHistoryItem[];
  step: UsageStep;
}

export function UsageCharts({ items, step }: Props) {
  const shown = {
    buckets: bucketsOf(items, step, Date.now()),
    span: step === 'hour' ? ('week' as const) : ('days' as const),
    lasts: `In the last ${spans[step].days} days`,
  };
  return (
    <>
      <CallsChart step={step} {...shown} />
      <PeakChart {...shown} />
    </>
  );
}

interface Shown {
  buckets: UsageBucket[];
  span: 'week' | 'days';
  lasts: string;
}

function CallsChart({ step, buckets, span, lasts }: Shown & { step: UsageStep }) {
  const inWords = (counts: Record<(typeof series)[number], number>) =>
    series.map((name) => `${number.format(counts[name])} ${name}`).join(', ');
  const sum = (name: (typeof series)[number]) =>
    buckets.reduce((total, bucket) => total + bucket[name], 0);
  const sums = { answered: sum('answered'), failed: sum('failed'), refused: sum('refused') };
  const highest = Math.max(...buckets.map((b) => b.answered + b.failed + b.refused));
  return (
    <Chart<UsageBucket>
      title={`Calls per ${step}`}
      total={inWords(sums)}
      description={`${lasts}: ${inWords(sums)}.`}
      span={span}
      buckets={buckets}
      highest={highest}
      format={(value) => number.format(value)}
      summary={(bucket) => inWords(bucket)}
      columns={[
        ['Answered', (b) => number.format(b.answered)],
        ['Failed', (b) => number.format(b.failed)],
        ['Refused', (b) => number.format(b.refused)],
      ]}
      legend={
        <p className={styles.legend}>
          <span className={styles.good}>answered</span>
          <span className={styles.bad}>failed</span>
          <span className={styles.warn}>refused by the limit</span>
        </p>
      }
    >
      {({ x, y }) => (
        <BarStack
          data={buckets}
          keys={[...series]}
          value={(bucket, name) => bucket[name]}
          x={({ at }) => at}
          xScale={x}
          yScale={y}
          color={() => ''}
        >
          {(stacks) =>
            stacks.flatMap(({ key, bars }) =>
              bars
                .filter(({ height }) => height > 0)
                .map((bar) => (
                  <rect
                    key={`${key}-${bar.index}`}
                    className={classOf[key]}
                    x={bar.x}
                    y={bar.y}
                    width={bar.width}
                    height={bar.height}
                  />
                )),
            )
          }
        </BarStack>
      )}
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
      highest={1}
      format={percent}
      summary={({ peak_share }) => (peak_share === null ? 'no limited calls' : percent(peak_share))}
      columns={[['Share', ({ peak_share }) => (peak_share === null ? '–' : percent(peak_share))]]}
      legend={
        <p className={styles.legend}>
          <span className={styles.share}>share of the limit that was used at once</span>
          <span className={styles.full}>all of it</span>
        </p>
      }
    >
      {({ x, y }) =>
        buckets.map(({ at, peak_share }) =>
          peak_share === null ? null : (
            <Bar
              key={at}
              className={peak_share >= 1 ? styles.full : styles.share}
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

function percent(share: number): string {
  return `${Math.floor(share * 1_000) / 10} %`;
}
