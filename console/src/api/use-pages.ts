/** A list that grows by pages and stays fresh. */
import { type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { Page } from './types.ts';
import { type LiveQuery, problemOf } from './use-live-query.ts';

export interface PageSource<T> {
  queryKey: QueryKey;
  readPage(cursor: string | undefined, signal: AbortSignal): Promise<Page<T>>;
}

export interface PagedQuery<T> extends LiveQuery<T[]> {
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore(): void;
}

export function usePages<T>({ queryKey, readPage }: PageSource<T>, everyMs = 0): PagedQuery<T> {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    // Every page is read again, one after another, so many pages are read less often.
    refetchInterval: ({ state }) =>
      state.status !== 'error' && everyMs > 0 && everyMs * (state.data?.pages.length ?? 1),
  });
  return {
    data: query.data?.pages.flatMap(({ items }) => items),
    problem: problemOf(query),
    readAt: query.dataUpdatedAt || undefined,
    async retry() {
      await client.cancelQueries({ queryKey, exact: true });
      await query.refetch();
    },
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  };
}
