/** Which deliveries of a list are selected. One that leaves the list is no longer selected. */
import { useMemo, useState } from 'react';
import type { Delivery } from '../../api/types.ts';

/** The server takes no more at once. */
const MOST_SELECTED = 1_000;

export interface Selection {
  selected: Delivery[];
  has(id: string): boolean;
  toggle(id: string): void;
  toggleAll(): void;
  areAll: boolean;
  clear(): void;
}

export function useSelection(shown: readonly Delivery[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const selected = useMemo(() => shown.filter(({ id }) => ids.has(id)), [shown, ids]);
  const selectable = shown.slice(0, MOST_SELECTED);
  const areAll = selectable.length > 0 && selected.length >= selectable.length;
  return {
    selected,
    has: (id) => ids.has(id),
    toggle(id) {
      const next = new Set(ids);
      if (!next.delete(id) && selected.length < MOST_SELECTED) next.add(id);
      setIds(next);
    },
    toggleAll: () => setIds(new Set(areAll ? [] : selectable.map(({ id }) => id))),
    areAll,
    clear: () => setIds(new Set()),
  };
}
