import { AreaClosed, Line, LinePath } from '@visx/shape';
import type { Bucket, Stats } from '../../api/types.ts';
import { Chart } from '../../ui/charts/Chart.tsx';
import type { Scales } from '../../ui/charts/Plot.tsx';
import { percent } from './figures.ts';
import styles from './SuccessChart.module.css';

export function SuccessChart({ stats }: { stats: Stats }) {
  const { buckets, span, success_rate } = stats;
  return (
    <Chart
      title="Success rate of attempts"
      total={percent(success_rate)}
      description={`In the last ${span}, ${percent(success_rate)} of all attempts were answered with a 2xx status.`}
      span={span}
      buckets={buckets}
      highest={1}
      format={percent}
      summary={(bucket) => percent(rateOf(bucket))}
      columns={[
        ['Attempts', (bucket) => String(bucket.delivered + bucket.failed_attempts)],
        ['Success rate', (bucket) => percent(rateOf(bucket))],
      ]}
      legend={<p>share of attempts answered with 2xx</p>}
    >
      {(scales) => <Rates buckets={buckets} {...scales} />}
    </Chart>
  );
}

/** A line that breaks where there were no attempts. */
function Rates({ buckets, x, y }: Scales & { buckets: Bucket[] }) {
  const middle = ({ at }: Bucket) => (x(at) ?? 0) + x.bandwidth() / 2;
  const height = (bucket: Bucket) => y(rateOf(bucket) ?? 0);
  const isKnown = (bucket: Bucket | undefined) => bucket !== undefined && rateOf(bucket) !== null;
  // A line needs two points, so a bucket between empty ones gets a line of its own width.
  const lonely = buckets.filter(
    (bucket, at) => isKnown(bucket) && !isKnown(buckets[at - 1]) && !isKnown(buckets[at + 1]),
  );
  const drawn = { data: buckets, x: middle, y: height, defined: isKnown };
  return (
    <>
      <AreaClosed {...drawn} yScale={y} className={styles.area} />
      <LinePath {...drawn} className={styles.line} />
      {lonely.map((bucket) => (
        <Line
          key={bucket.at}
          className={styles.line}
          from={{ x: x(bucket.at) ?? 0, y: height(bucket) }}
          to={{ x: (x(bucket.at) ?? 0) + x.bandwidth(), y: height(bucket) }}
        />
      ))}
    </>
  );
}

function rateOf({ delivered, failed_attempts }: Bucket): number | null {
  const attempts = delivered + failed_attempts;
  return attempts > 0 ? delivered / attempts : null;
}
