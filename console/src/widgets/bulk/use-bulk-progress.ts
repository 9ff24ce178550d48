/** How far a change of many deliveries has come: its audit entry says so while it runs. */
import { useQuery } from '@tanstack/react-query';
import type { BulkAction, DeliveryFilter } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { changedBy } from './bulk-words.ts';

const POLL_MS = 500;
const NEWEST = 5;

export function useBulkProgress(action: BulkAction, filter: DeliveryFilter): number {
  const { call, environment } = useEnvironment();
  const { data = 0 } = useQuery({
    queryKey: [environment, 'progress of a change', action, filter],
    queryFn: async ({ signal }) => {
      const query = { action: `deliveries.${action}`, limit: NEWEST };
      const { items } = await call('listAudit', { query }, signal);
      return changedBy(items, filter);
    },
    refetchInterval: POLL_MS,
    gcTime: 0,
  });
  return data;
}
