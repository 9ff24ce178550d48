import { useQuery } from '@tanstack/react-query';
import type { BulkAction, Delivery, DeliveryCount, DeliveryFilter } from '../../api/types.ts';
import { problemOf } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { countSelected, narrowed } from './bulk-words.ts';

/** What a change is about, and how many that are. */
export interface Counted {
  filter: DeliveryFilter;
  count: DeliveryCount;
}

/** The end of the span is fixed when it is counted, so that new events do not change the number. */
export function useBulkCount(
  action: BulkAction,
  filter: DeliveryFilter,
  selected: readonly Delivery[],
  alsoDelivered: boolean,
) {
  const { call, environment } = useEnvironment();
  const ids = selected.map(({ id }) => id);
  const query = useQuery({
    queryKey: [environment, 'count to change', action, filter, ids, alsoDelivered],
    queryFn: async ({ signal }): Promise<Counted> => {
      if (ids.length > 0) {
        const some = narrowed(action, { ids }, alsoDelivered);
        const count = countSelected(selected, some);
        return { filter: some, count };
      }
      const all = { until: new Date().toISOString(), ...filter };
      const { ids: _, ...query } = narrowed(action, all, alsoDelivered);
      return { filter: query, count: await call('countDeliveries', { query }, signal) };
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  return { data: query.data, problem: problemOf(query), again: () => void query.refetch() };
}
