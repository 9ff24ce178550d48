/** The columns that an import may change, and the comparison of a row with what the import makes of it. */
export const CHANGED = {
  partner: [
    'name',
    'integration_started_on',
    'is_new',
    'suspended',
    'certified_at',
    'certification_reference',
    'midoffice_id',
  ],
  api_key: ['label', 'allowed_ips', 'disabled', 'expires_at', 'revoked_at', 'grant_set'],
  midoffice: [
    'name',
    'url',
    'signing_key_id',
    'body_form',
    'delivery_order',
    'max_in_flight',
    'paused',
  ],
} as const;

export type ChangedTable = keyof typeof CHANGED;

export function keyColumn(table: ChangedTable): 'key_id' | 'id' {
  return table === 'api_key' ? 'key_id' : 'id';
}

export function isChanged(table: ChangedTable, before: object, after: object): boolean {
  return CHANGED[table].some((column) => before[column as never] !== after[column as never]);
}

/** As `updateRows` takes it: the new values, and under `was_…` those that the import compared them with. */
export function changedRow(
  table: ChangedTable,
  before: object,
  after: object,
): Record<string, unknown> {
  const key = keyColumn(table);
  const row: Record<string, unknown> = { [key]: before[key as never] };
  for (const column of CHANGED[table]) {
    row[column] = after[column as never];
    row[`was_${column}`] = before[column as never];
  }
  return row;
}
