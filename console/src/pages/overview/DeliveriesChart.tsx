import { BarStack } from '@visx/shape';
import type { Stats } from '../../api/types.ts';
import { Chart } from '../../ui/charts/Chart.tsx';
import styles from './DeliveriesChart.module.css';
import { sum } from './figures.ts';

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const series = ['delivered', 'failed_attempts'] as const;
const classOf = { delivered: styles.good, failed_attempts: styles.bad };

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
      highest={perMinute(highest)}
      format={(value) => number.format(value)}
      summary={(b) =>
        `${number.format(perMinute(b.delivered))} delivered, ${number.format(perMinute(b.failed_attempts))} failed per minute`
      }
      columns={[
        ['Delivered', (b) => String(b.delivered)],
        ['Failed attempts', (b) => String(b.failed_attempts)],
        ['Exhausted', (b) => String(b.exhausted)],
      ]}
      legend={
        <p className={styles.legend}>
          <span className={styles.good}>delivered</span>
          <span className={styles.bad}>failed attempts</span>
        </p>
      }
    >
      {({ x, y }) => (
        <BarStack
          data={buckets}
          keys={[...series]}
          value={(bucket, name) => perMinute(bucket[name])}
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
