/**
 * The fields of records as people call them: in the sentences and details of the audit, and on forms. A field whose name is
 * already what people say is not listed, so a new one needs no line here.
 */
const names: Readonly<Record<string, string>> = {
  integration_started_on: 'integration since',
  is_new: 'new to the API',
  certified_at: 'certified',
  expires_at: 'expiry',
  allowed_ips: 'allowed addresses',
  previous_key_valid_until: 'earlier API keys work until',
  overlap_ends: 'ends of the overlaps',
  revoked_at: 'revoked',
  last_used_on: 'last used',
  last_used_at: 'last used',
  created_at: 'created',
  url: 'receiver URL',
  max_in_flight: 'maximum attempts in flight',
  max_per_second: 'maximum attempts per second',
  failing_since: 'failing since',
  is_active: 'active',
  is_debug_mode: 'debug mode available',
  is_limited: 'limited',
  requests_number: 'calls',
  seconds_number: 'window in seconds',
  expected_sales_volume: 'expected sales volume',
  reverts: 'undoes the change',
  came_by: 'signed in by',
  mailed_to: 'mailed to',
};

/** Within a sentence: "maximum attempts in flight". */
export function fieldInWords(field: string): string {
  return names[field] ?? field.replace(/(?<=.)_id$/, '').replaceAll('_', ' ');
}

/** At its beginning, or as a label: "Maximum attempts in flight". */
export function fieldTitle(field: string): string {
  const words = fieldInWords(field);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
