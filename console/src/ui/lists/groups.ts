/** The groups of a long table. On a phone, where such a table is very long, each can be folded. */
import { useState } from 'react';

export interface Group<Row> {
  name: string;
  rows: Row[];
}

export interface Folds {
  isOpen(name: string): boolean;
  toggle(name: string): void;
}

/** Only the first group is open at first, or all of them while someone looks for something. */
export function useFolds(groups: readonly Group<unknown>[], isSearching: boolean): Folds {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const isOpen = (name: string) => isSearching || (groups[0]?.name === name) !== toggled.has(name);
  function toggle(name: string) {
    const next = new Set(toggled);
    if (!next.delete(name)) next.add(name);
    setToggled(next);
  }
  return { isOpen, toggle };
}
