/** How far a change of many deliveries has come: its audit entry says so while it runs. */
import { useQuery } from '@tanstack/react-query';
import type { AuditEntry, BulkAction, DeliveryFilter } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';

const POLL_MS = 500;
const NEWEST = 5;

export function useBulkProgress(action: BulkAction, filter: DeliveryFilter): number {
  const { api, environment } = useEnvironment();
  const { data = 0 } = useQuery({
    queryKey: [environment, 'progress of a change', action, filter],
    queryFn: async ({ signal }) => {
      const { items } = await api.audit({ action: `deliveries.${action}`, limit: NEWEST }, signal);
      return changedBy(items, filter);
    },
    refetchInterval: POLL_MS,
    gcTime: 0,
  });
  return data;
}

/** The end of the span is the moment of the count, which tells this change from others. */
export function changedBy(entries: readonly AuditEntry[], { until }: DeliveryFilter): number {
  const afters = entries.map(({ after }) => after as { changed?: number; filter?: DeliveryFilter });
  return afters.find(({ filter }) => until !== undefined && filter?.until === until)?.changed ?? 0;
}
