/**
 * Short notices at the edge of the page, which screen readers also speak. They report successes;
 * a problem shows beside the button or field that caused it.
 */
import { useSyncExternalStore } from 'react';

const SHOWN_MS = 6_000;

export interface Notice {
  id: number;
  text: string;
}

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

export function announce(text: string): void {
  lastId += 1;
  const notice = { id: lastId, text };
  set([...notices.slice(-2), notice]);
  setTimeout(() => dismiss(notice.id), SHOWN_MS);
}

export function dismiss(id: number): void {
  set(notices.filter((notice) => notice.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useNotices(): readonly Notice[] {
  return useSyncExternalStore(subscribe, () => notices);
}
