/**
 * A short notice at the edge of the page, which screen readers also speak. It reports how an action ended;
 * a problem shows beside the button or field that caused it.
 *
 * Only the latest is shown: "Paused" beside "Resumed" would leave the reader to guess which one holds.
 */
import { useSyncExternalStore } from 'react';
import { type Change, takeLastChange } from '../../api/last-change.ts';

const SHOWN_MS = 8_000;

export interface Notice {
  id: number;
  text: string;
  tone: 'good' | 'bad';
  /** The API call behind it, to be copied. */
  change: Change | undefined;
}

let notice: Notice | undefined;
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: Notice | undefined): void {
  notice = next;
  for (const listener of listeners) listener();
}

export function announce(text: string, tone: Notice['tone'] = 'good'): void {
  lastId += 1;
  const id = lastId;
  show({ id, text, tone, change: takeLastChange() });
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  if (notice?.id === id) show(undefined);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useNotice(): Notice | undefined {
  return useSyncExternalStore(subscribe, () => notice);
}
