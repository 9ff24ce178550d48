/** The partner's midoffice, which is where its webhooks go; null if it has none. */

import type { Problem } from '../../../console/src/api/problem.ts';
import { useLiveQuery } from '../../../console/src/api/use-live-query.ts';
import { useView } from '../app/view.tsx';
import { POLL_MS } from './poll.ts';
import type { OwnMidoffice } from './types.ts';

export interface MidofficeQuery {
  data: OwnMidoffice | null | undefined;
  problem: Problem | undefined;
  readAt: number | undefined;
  retry(): void;
}

export function useMidoffice(): MidofficeQuery {
  const { queries } = useView();
  const query = useLiveQuery(queries.midoffice(), POLL_MS);
  if (query.problem?.status !== 404) return query;
  return { ...query, data: null, problem: undefined };
}
