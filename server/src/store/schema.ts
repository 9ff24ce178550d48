/**
 * The tables, as both engines have them. To be the same in both: flags are 0 and 1, times are
 * milliseconds since 1970, JSON is text.
 */
import type { Generated } from 'kysely';

export interface Schema {
  meta: { name: string; value: string };
  partner: PartnerRow;
  api_key: ApiKeyRow;
  grant_set: { id: string; grants: string };
  token: TokenRow;
  audit: AuditRow;
  key_change: { seq: Generated<number>; key_id: string; at: number };
  admission: {
    seq: Generated<number>;
    key_id: string;
    endpoint: string;
    at_ms: number;
    keep_until_ms: number;
  };
}

export interface PartnerRow {
  id: string;
  name: string;
  integration_started_on: string;
  is_new: number;
  suspended: number;
  certified_at: number | null;
  certification_reference: string | null;
  midoffice_id: string | null;
  created_at: number;
}

export interface ApiKeyRow {
  key_id: string;
  partner_id: string;
  label: string | null;
  sealed_key: string;
  digest: string;
  /** The key before the last rotation, while it still works. */
  previous_sealed_key: string | null;
  previous_digest: string | null;
  previous_until: number | null;
  /** JSON array of addresses and CIDRs; null lets every address in. */
  allowed_ips: string | null;
  disabled: number;
  expires_at: number | null;
  revoked_at: number | null;
  grant_set: string;
  created_at: number;
}

export interface TokenRow {
  id: string;
  name: string;
  role: string;
  digest: string;
  created_at: number;
  revoked_at: number | null;
}

export interface AuditRow {
  id: string;
  at: number;
  actor: string;
  action: string;
  subject: string;
  before: string | null;
  after: string | null;
}
