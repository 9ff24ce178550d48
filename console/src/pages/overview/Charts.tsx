/**
 * Two charts that are not to be mixed: what became of deliveries, and how attempts ended. A delivery that
 * succeeds at its third attempt is one delivery and three attempts.
 *
 * In a file of its own, so that the rest of the page does not wait for the chart library.
 */
import type { Bucket, Stats } from '../../api/types.ts';
import { percent } from '../../ui/text/numbers.ts';
import { counted } from '../../words/en/counted.ts';
import { rateInWords, sum } from './figures.ts';
import { type Series, StackedChart } from './StackedChart.tsx';

const deliveries: readonly Series[] = [
  { field: 'delivered', label: 'delivered', tone: 'good' },
  { field: 'exhausted', label: 'exhausted', tone: 'bad' },
];
/** An attempt succeeds exactly when it delivers. */
const attempts: readonly Series[] = [
  { field: 'delivered', label: 'succeeded', tone: 'good' },
  { field: 'failed_attempts', label: 'failed', tone: 'warn' },
];

export function Charts({ stats }: { stats: Stats }) {
  const { buckets, success_rate } = stats;
  const settled = sum(buckets, 'delivered') + sum(buckets, 'exhausted');
  return (
    <>
      <StackedChart
        stats={stats}
        title="Deliveries settled"
        total={counted(settled, 'delivery', 'deliveries')}
        series={deliveries}
      />
      <StackedChart
        stats={stats}
        title="Attempts"
        total={success_rate === null ? rateInWords(null) : `${percent(success_rate)} succeeded`}
        series={attempts}
        share={['Success rate', (bucket) => rateInWords(rateOf(bucket))]}
      />
    </>
  );
}

function rateOf({ delivered, failed_attempts }: Bucket): number | null {
  const made = delivered + failed_attempts;
  return made > 0 ? delivered / made : null;
}
