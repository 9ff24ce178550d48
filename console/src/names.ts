/** Names for the ids in lists. The newest few hundred are enough; an id without one shows itself. */
import { useMemo } from 'react';
import { useDesk } from './desk.tsx';
import { useReading } from './live.ts';

export interface Names {
  of(id: string): string;
  options: (readonly [id: string, name: string])[];
}

export function useMidofficeNames(): Names {
  const { api } = useDesk();
  const { data } = useReading('midoffice names', () => api.midoffices.list({ limit: 200 }));
  return useMemo(() => namesOf(data?.items ?? []), [data]);
}

export function usePartnerNames(): Names {
  const { api } = useDesk();
  const { data } = useReading('partner names', () => api.partners.list({ limit: 200 }));
  return useMemo(() => namesOf(data?.items ?? []), [data]);
}

function namesOf(items: { id: string; name: string }[]): Names {
  const byId = new Map(items.map(({ id, name }) => [id, name]));
  return { of: (id) => byId.get(id) ?? id, options: [...byId] };
}
