import type { Stats } from '../../api/types.ts';
import { DeliveriesChart } from './DeliveriesChart.tsx';
import { SuccessChart } from './SuccessChart.tsx';

/** In a file of its own, so that the rest of the page does not wait for the chart library. */
export function Charts({ stats }: { stats: Stats }) {
  return (
    <>
      <DeliveriesChart stats={stats} />
      <SuccessChart stats={stats} />
    </>
  );
}
