import type { Bucket, Stats } from '../model.ts';
import { Chart, Line } from './Chart.tsx';

export function SuccessChart({ stats }: { stats: Stats }) {
  const { buckets, span, success_rate } = stats;
  return (
    <Chart
      title="Success rate of attempts"
      total={percent(success_rate)}
      description={`In the last ${span}, ${percent(success_rate)} of all attempts were answered with a 2xx status.`}
      span={span}
      buckets={buckets}
      top="100 %"
      reading={(bucket) => percent(rateOf(bucket))}
      columns={[
        ['Attempts', (bucket) => String(bucket.delivered + bucket.failed_attempts)],
        ['Success rate', (bucket) => percent(rateOf(bucket))],
      ]}
      legend={<p className="legend">share of attempts answered with 2xx</p>}
    >
      <Line shares={buckets.map(rateOf)} />
    </Chart>
  );
}

function rateOf({ delivered, failed_attempts }: Bucket): number | null {
  const attempts = delivered + failed_attempts;
  return attempts > 0 ? delivered / attempts : null;
}

/** Never rounds a failure away: 99.97 % is not 100 %. */
export function percent(rate: number | null): string {
  if (rate === null) return 'no attempts';
  const rounded = Math.floor(rate * 1_000) / 10;
  return `${rounded} %`;
}
