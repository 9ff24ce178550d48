/** A list that grows by pages and stays fresh. */
import { type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { pollPause } from './polling.ts';
import { type LiveQuery, problemOf } from './use-live-query.ts';

/** Every list comes in pages. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** All pages, of lists that rarely have more than one. */
export async function allPages<T>(
  readPage: (query: { limit: number; cursor: string | undefined }) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage({ limit: 200, cursor });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

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
      state.status !== 'error' &&
      everyMs > 0 &&
      pollPause(everyMs) * (state.data?.pages.length ?? 1),
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
