/** A token by itself, without the schemas of the back office, which the main thread does not load. */
import type { TokenRow } from '../../store/back-office/schema.ts';
import { isoOrNull } from '../environment.ts';

export const TOKEN_PREFIX = 'bh_';

/** As a reply and the audit have it. */
export function showToken(row: TokenRow) {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: isoOrNull(row.expires_at),
    last_used_at: isoOrNull(row.last_used_at),
  };
}
