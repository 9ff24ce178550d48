/** Counts per step as stacked bars. All series of a chart count the same thing: deliveries, or attempts. */
import { BarStack } from '@visx/shape';
import type { Bucket, Stats } from '../../api/types.ts';
import { Chart } from '../../ui/charts/Chart.tsx';
import { stepInWords } from '../../ui/charts/moments.ts';
import { inDigits, sum } from './figures.ts';
import styles from './StackedChart.module.css';

const classOf = { good: styles.good, warn: styles.warn, bad: styles.bad };

export interface Series {
  field: Exclude<keyof Bucket, 'at'>;
  label: string;
  tone: 'good' | 'warn' | 'bad';
}

interface Props {
  stats: Stats;
  /** What is counted; the chart's title adds the step. */
  title: string;
  total: string;
  series: readonly Series[];
  /** A last column of the table of numbers. */
  share?: readonly [head: string, cell: (bucket: Bucket) => string];
}

export function StackedChart({ stats, title, total, series, share }: Props) {
  const { buckets, span, step_seconds } = stats;
  const heights = buckets.map((bucket) =>
    series.reduce((height, { field }) => height + bucket[field], 0),
  );
  const inWords = (counts: (field: Series['field']) => number) =>
    series.map(({ field, label }) => `${inDigits(counts(field))} ${label}`).join(', ');
  return (
    <Chart
      title={`${title} per ${stepInWords(step_seconds)}`}
      total={total}
      description={`In the last ${span}: ${inWords((field) => sum(buckets, field))}.`}
      span={span}
      buckets={buckets}
      highest={Math.max(...heights, 0)}
      format={inDigits}
      summary={(bucket) => inWords((field) => bucket[field])}
      columns={[
        ...series.map(
          ({ field, label }) =>
            [capitalised(label), (bucket: Bucket) => inDigits(bucket[field])] as const,
        ),
        ...(share ? [share] : []),
      ]}
      legend={
        <p className={styles.legend}>
          {series.map(({ label, tone }) => (
            <span key={label} className={classOf[tone]}>
              {label}
            </span>
          ))}
        </p>
      }
    >
      {({ x, y }) => (
        <BarStack
          data={buckets}
          keys={series.map(({ field }) => field)}
          value={(bucket, field) => bucket[field]}
          x={({ at }) => at}
          xScale={x}
          yScale={y}
          color={() => ''}
        >
          {(stacks) =>
            stacks.flatMap(({ key, bars }, stack) =>
              bars
                .filter(({ height }) => height > 0)
                .map((bar) => (
                  <rect
                    key={`${key}-${bar.index}`}
                    className={classOf[series[stack]?.tone ?? 'good']}
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

function capitalised(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}
