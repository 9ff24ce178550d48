import type { Bucket, Stats } from '../model.ts';
import { Bars, Chart } from './Chart.tsx';

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export function DeliveriesChart({ stats }: { stats: Stats }) {
  const { buckets, span, step_seconds } = stats;
  const perMinute = (count: number) => (count * 60) / step_seconds;
  const delivered = sum(buckets, 'delivered');
  const failed = sum(buckets, 'failed_attempts');
  const exhausted = sum(buckets, 'exhausted');
  const highest = Math.max(...buckets.map((b) => b.delivered + b.failed_attempts), 0);
  const minutes = (buckets.length * step_seconds) / 60;
  const average = number.format(minutes > 0 ? delivered / minutes : 0);
  return (
    <Chart
      title="Deliveries per minute"
      total={`${average} per minute on average`}
      description={`In the last ${span}: ${delivered} delivered, ${failed} attempts failed, ${exhausted} deliveries exhausted.`}
      span={span}
      buckets={buckets}
      top={highest > 0 ? number.format(perMinute(highest)) : ''}
      reading={(b) =>
        `${number.format(perMinute(b.delivered))} delivered, ${number.format(perMinute(b.failed_attempts))} failed per minute`
      }
      columns={[
        ['Delivered', (b) => String(b.delivered)],
        ['Failed attempts', (b) => String(b.failed_attempts)],
        ['Exhausted', (b) => String(b.exhausted)],
      ]}
      legend={
        <p className="legend">
          <span className="legend-good">delivered</span>
          <span className="legend-bad">failed attempts</span>
        </p>
      }
    >
      <Bars
        bars={buckets.map((bucket) => ({
          key: bucket.at,
          parts: [
            { className: 'chart-good', share: share(bucket.delivered, highest) },
            { className: 'chart-bad', share: share(bucket.failed_attempts, highest) },
          ],
        }))}
      />
    </Chart>
  );
}

function share(count: number, highest: number): number {
  return highest > 0 ? count / highest : 0;
}

export function sum(buckets: Bucket[], field: Exclude<keyof Bucket, 'at'>): number {
  return buckets.reduce((total, bucket) => total + bucket[field], 0);
}
