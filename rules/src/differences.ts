/** What differs between a record before and after a change. */
type Fields = Record<string, unknown>;

/** What an entry says besides the record's own fields. */
const REMARKS = [
  'reason',
  'approval_reference',
  'expected_sales_volume',
  'reverts',
  'reverted_by',
  'portal_session',
  'changed_headers',
  'left_out',
];

export interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

/** In the order of the record's table. */
export function differencesIn(before: unknown, after: unknown): Difference[] {
  return withRemarks(before, after).filter(({ field }) => !REMARKS.includes(field));
}

/** All fields of a record that was created or deleted. */
export function withRemarks(before: unknown, after: unknown): Difference[] {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .map((field) => ({ field, before: was[field], after: is[field] }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
