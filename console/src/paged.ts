/** A list that grows by pages: the first one live, the others added on demand. */
import { useEffect, useState } from 'react';
import { type Action, useAction } from './action.ts';
import { type Reading, useReading } from './live.ts';
import type { Page } from './model.ts';

export interface PagedReading<T> {
  first: Reading<Page<T>>;
  items: T[] | undefined;
  hasMore: boolean;
  more: Action<[]>;
}

export function usePages<T>(
  name: string,
  read: (cursor: string | undefined) => Promise<Page<T>>,
  keyOf: (item: T) => string,
  everyMs?: number,
): PagedReading<T> {
  const first = useReading(name, () => read(undefined), everyMs);
  const [rest, setRest] = useState<Page<T>>();
  useEffect(() => setRest(undefined), [name]);

  const next = rest ? rest.next_cursor : (first.data?.next_cursor ?? null);
  const more = useAction(async () => {
    const page = await read(next ?? undefined);
    // What the live first page shows now stays in the list when newer items push it out.
    setRest((was) => ({
      items: [...(was?.items ?? first.data?.items ?? []), ...page.items],
      next_cursor: page.next_cursor,
    }));
  });

  const shown = new Set(first.data?.items.map(keyOf));
  const later = rest?.items.filter((item) => !shown.has(keyOf(item))) ?? [];
  return {
    first,
    items: first.data && [...first.data.items, ...later],
    hasMore: next !== null,
    more,
  };
}
