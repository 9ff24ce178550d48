/** How the audit is shown: its actions as a filter names them, who acted, and what differs. */
import { auditActions } from '@bellhop/rules/audit-actions';
import { entriesOf } from '../entries.ts';

/** By action. */
export const actionTitles: Readonly<Record<string, string>> = Object.fromEntries(
  entriesOf(auditActions).map(([action, { title }]) => [action, title]),
);

/**
 * Only the name. An actor is recorded with the id of the token, with the email and id of the person, or, in the portal,
 * with the id of the partner.
 */
export function actorName(actor: string): string {
  return actor
    .replace(/ \(portal \w+\)$/, ' (portal)')
    .replace(/( <[^<>]*>)? \((tok_\w+|oidc [^()]*)\)$/, '');
}

export interface Difference {
  field: string;
  before: string | undefined;
  after: string | undefined;
}

/** The fields that differ; all fields of a record that was created or deleted. */
export function differences(before: unknown, after: unknown): Difference[] {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return fields
    .map((field) => ({ field, before: was[field], after: is[field] }))
    .filter((one) => one.before !== one.after);
}

function fieldsOf(value: unknown): Record<string, string> {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object') return { value: inText(value) };
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, inText(one)]));
}

function inText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
