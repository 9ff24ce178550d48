/** How the audit is shown: its actions as a filter names them, and what differs. */
import { auditActions } from '@bellhop/rules/audit-actions';
import { withRemarks } from '@bellhop/rules/differences';
import { entriesOf } from '../entries.ts';

/** By action. */
export const actionTitles: Readonly<Record<string, string>> = Object.fromEntries(
  entriesOf(auditActions).map(([action, { title }]) => [action, title]),
);

/** The fields that differ; all fields of a record that was created or deleted. */
export function differences(before: unknown, after: unknown) {
  return withRemarks(before, after).map((one) => ({
    field: one.field,
    before: inText(one.before),
    after: inText(one.after),
  }));
}

function inText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
