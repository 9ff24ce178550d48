/**
 * A change that undoes an earlier one. It is made like any other, by the same rules and with an entry of its own, but
 * only if the record still is as the earlier one left it.
 */

import { differencesIn, fieldsOf } from '@bellhop/rules/differences';
import { fieldInWords } from '@bellhop/rules/field-names';
import { Problem } from './problem.ts';

export interface Undoing {
  /** The id of the entry in the audit. */
  reverts: string;
  /** What that entry says the record became. */
  after: unknown;
  /** The fields to put back. */
  fields: readonly string[];
}

/** Call it once the record is locked. */
export function checkUnchangedSince(undoing: Undoing | undefined, now: unknown): void {
  if (!undoing) return;
  const changed = differencesIn(undoing.after, now).map(({ field }) => field);
  const since = undoing.fields.filter((field) => changed.includes(field));
  if (since.length === 0) return;
  throw new Problem(
    'changed_since',
    `The ${since.map(fieldInWords).join(', ')} changed again after that. Look at the newer changes, and set what you want by hand.`,
  );
}

/** What the new entry says besides the record. */
export function undoneIn(undoing: Undoing | undefined): object {
  return undoing ? { reverts: undoing.reverts } : {};
}

/** The fields that an entry changed, as they were before it. */
export function fieldsBefore(before: unknown, after: unknown): Record<string, never> {
  const was = fieldsOf(before);
  const changed = differencesIn(before, after).map(({ field }) => [field, was[field]]);
  return Object.fromEntries(changed) as Record<string, never>;
}
