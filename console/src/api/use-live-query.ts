/** Reads something and keeps it fresh for as long as it is shown. */
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { pollPause } from './polling.ts';
import type { Problem } from './problem.ts';

export interface QuerySource<T> {
  queryKey: QueryKey;
  queryFn(context: { signal: AbortSignal }): Promise<T>;
  staleTime?: number;
  /** How long it is kept once nothing shows it. */
  gcTime?: number;
}

export interface LiveQuery<T> {
  data: T | undefined;
  /** The last failure; `data` may still hold what was read before it. */
  problem: Problem | undefined;
  /** When `data` was read, in milliseconds. */
  readAt: number | undefined;
  /** Asks again now instead of after the pause. */
  retry(): void;
}

/** Without `everyMs` it is read when it is shown, after changes, and when the window gets the focus. */
export function useLiveQuery<T>(source: QuerySource<T>, everyMs?: number): LiveQuery<T> {
  const client = useQueryClient();
  const query = useQuery({
    ...source,
    // A query is in error only after a refusal, and a retry would be refused again.
    refetchInterval: ({ state }) =>
      state.status !== 'error' && everyMs !== undefined && pollPause(everyMs),
  });
  return {
    data: query.data,
    problem: problemOf(query),
    readAt: query.dataUpdatedAt || undefined,
    async retry() {
      await client.cancelQueries({ queryKey: source.queryKey, exact: true });
      await query.refetch();
    },
  };
}

/** A failure counts from the first attempt on, not only once the query has given up. */
export function problemOf(query: {
  error: Problem | null;
  failureReason: Problem | null;
}): Problem | undefined {
  return query.error ?? query.failureReason ?? undefined;
}
