/** Which changes can be undone: those of fields. What was sent, created or revoked cannot be taken back. */

import { differencesIn, fieldsOf } from '@bellhop/rules/differences';
import { OVERVIEW } from '../../base/catalogue.ts';

interface Recorded {
  action: string;
  before: unknown;
  after: unknown;
}

const revertible = [
  'partner.update',
  'key.update',
  'midoffice.update',
  'key.grant',
  'key.withdraw',
] as const;
export type RevertibleAction = (typeof revertible)[number];

export function isRevertible<E extends Recorded>(
  entry: E,
): entry is E & { action: RevertibleAction } {
  const { action, before, after } = entry;
  if (!(revertible as readonly string[]).includes(action)) return false;
  const changed = differencesIn(before, after).map(({ field }) => field);
  // The values of headers and private keys are sealed, so the audit does not know what they were.
  const isSealed = changed.includes('headers') || changed.includes('client_certificate');
  if (changed.length === 0 || isSealed || 'changed_headers' in fieldsOf(after)) return false;
  // The audit does not have all of what it was.
  const leftOut = fieldsOf(fieldsOf(after).left_out);
  if (changed.some((field) => field in leftOut)) return false;
  // It cannot be withdrawn.
  return !(before === null && fieldsOf(after).endpoint === OVERVIEW);
}
