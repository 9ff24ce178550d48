/**
 * A short notice at the edge of the page, which screen readers also speak. It reports how an action ended;
 * a problem shows beside the button or field that caused it.
 *
 * Only the latest is shown: "Paused" beside "Resumed" would leave the reader to guess which one holds.
 */
import { useSyncExternalStore } from 'react';
import { type Change, takeLastChange } from '../../api/last-change.ts';

const SHOWN_MS = 8_000;
/** With something to undo. */
const UNDO_MS = 10_000;

export interface Notice {
  id: number;
  text: string;
  tone: 'good' | 'bad';
  /** The API call behind it, to be copied. */
  change: Change | undefined;
  /** Offered while the notice shows. */
  undo: (() => void) | undefined;
}

let notice: Notice | undefined;
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: Notice | undefined): void {
  notice = next;
  for (const listener of listeners) listener();
}

export function announce(text: string, tone: Notice['tone'] = 'good', undo?: () => void): void {
  lastId += 1;
  show({ id: lastId, text, tone, change: takeLastChange(), undo });
  hideLater();
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Nobody has to read or to press against the clock: it stays while the pointer or the focus is on it. */
export function keep(): void {
  clearTimeout(timer);
}

export function hideLater(): void {
  keep();
  timer = setTimeout(dismiss, notice?.undo ? UNDO_MS : SHOWN_MS);
}

export function dismiss(): void {
  keep();
  show(undefined);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useNotice(): Notice | undefined {
  return useSyncExternalStore(subscribe, () => notice);
}
