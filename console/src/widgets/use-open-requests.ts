/** How many partners wait for an answer about a limit: a task for whoever looks at any page. */
import { useLiveQuery } from '../api/use-live-query.ts';
import { useEnvironment } from '../app/environment.tsx';

const POLL_MS = 15_000;

export interface OpenRequests {
  count: number;
  /** Whether there are more than those counted. */
  hasMore: boolean;
}

export function useOpenRequests(): OpenRequests {
  const { queries } = useEnvironment();
  const { data } = useLiveQuery(queries.openLimitRequests(), POLL_MS);
  return { count: data?.items.length ?? 0, hasMore: Boolean(data?.next_cursor) };
}
