/** Counts per step as stacked bars. All series of a chart count the same thing: deliveries, or attempts. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { Bucket, Stats } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Chart } from '../../ui/charts/Chart.tsx';
import { Legend, type Meaning } from '../../ui/charts/Legend.tsx';
import { timeAfter } from '../../ui/charts/moments.ts';
import { StackedBars } from '../../ui/charts/StackedBars.tsx';
import { windowOf } from '../../ui/text/durations.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import { sum } from './figures.ts';

export interface Series extends Meaning {
  field: Exclude<keyof Bucket, 'at'>;
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
  const { links } = useEnvironment();
  const navigate = useNavigate();
  // Most deliveries are settled within a second of their acceptance. One that was given up was accepted days before,
  // but no index finds deliveries by the time of that, so the chart says which ones it opens.
  const deliveriesOf = ({ at }: Bucket) =>
    links.deliveries({ since: at, until: timeAfter(at, step_seconds * 1_000) });
  const inWords = (counts: (field: Series['field']) => number) =>
    series.map(({ field, label }) => `${inDigits(counts(field))} ${label}`).join(', ');
  return (
    <Chart
      title={`${title} per ${windowOf(step_seconds)}`}
      total={total}
      description={`In the last ${span}: ${inWords((field) => sum(buckets, field))}.`}
      span={span}
      buckets={buckets}
      heights={heights}
      format={inDigits}
      summary={(bucket) => inWords((field) => bucket[field])}
      columns={[
        ...series.map(
          ({ field, label }) =>
            [capitalised(label), (bucket: Bucket) => inDigits(bucket[field])] as const,
        ),
        ...(share ? [share] : []),
      ]}
      legend={<Legend meanings={series} />}
      opening={{
        what: 'the deliveries accepted then',
        open: (bucket) => void navigate(deliveriesOf(bucket)),
        link: (bucket, moment) => <Link {...deliveriesOf(bucket)}>{moment}</Link>,
      }}
    >
      {(scales) => <StackedBars buckets={buckets} series={series} scales={scales} />}
    </Chart>
  );
}

function capitalised(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}
