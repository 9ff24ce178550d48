/**
 * Offers to undo what was just changed, for as long as its notice shows. The audit has the change, and Undoing.tsx reverts
 * it there: by the same rules as any change, and only if the record has not changed since.
 */
import { useSyncExternalStore } from 'react';
import type { AuditEntry } from '../../api/types.ts';
import { announce } from '../../ui/page/announce.ts';

/** What was changed, as the audit has it. */
export interface Undoable {
  action: 'key.update' | 'key.grant' | 'key.withdraw' | 'partner.update';
  subject: string;
  /** One entry for each. */
  changes: readonly ((entry: Recorded) => boolean)[];
}

export type Recorded = { before: Fields; after: Fields };
type Fields = Record<string, unknown> | null;

let asked: Undoable | undefined;
const listeners = new Set<() => void>();

export function announceWithUndo(text: string, undoable: Undoable): void {
  announce(text, 'good', () => ask(undoable));
}

function ask(undoable: Undoable | undefined): void {
  asked = undoable;
  for (const listener of listeners) listener();
}

export function useAskedUndo(): [Undoable | undefined, () => void] {
  const undoable = useSyncExternalStore(subscribe, () => asked);
  return [undoable, () => ask(undefined)];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The newest entry of each change. */
export function entriesOf({ changes }: Undoable, newestFirst: readonly AuditEntry[]): AuditEntry[] {
  return changes.flatMap((isIt) => newestFirst.find((entry) => isIt(entry as Recorded)) ?? []);
}
