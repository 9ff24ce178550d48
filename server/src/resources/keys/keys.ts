/** Keys as support sees them: without the API key, which is shown only once, when it is created. */
import { previousKeysOf } from '../../previous-keys.ts';
import type { ApiKeyRow, Database } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';
import { lockKey, readKey } from './queries.ts';

export function showKey(row: ApiKeyRow) {
  const overlapEnds = previousKeysOf(row).map(({ untilMs }) => untilMs);
  return {
    key_id: row.key_id,
    partner_id: row.partner_id,
    label: row.label,
    disabled: row.disabled === 1,
    expires_at: isoOrNull(row.expires_at),
    allowed_ips: row.allowed_ips === null ? null : (JSON.parse(row.allowed_ips) as string[]),
    previous_key_valid_until: isoOrNull(overlapEnds.length > 0 ? Math.max(...overlapEnds) : null),
    overlap_ends: overlapEnds.map((ms) => new Date(ms).toISOString()),
    revoked_at: isoOrNull(row.revoked_at),
    created_at: new Date(row.created_at).toISOString(),
  };
}

export type ShownKey = ReturnType<typeof showKey>;

export async function findKey(db: Database, keyId: string): Promise<ApiKeyRow> {
  return orNotFound(await readKey(db, keyId));
}

export async function findUnrevokedKey(db: Database, keyId: string): Promise<ApiKeyRow> {
  return unrevoked(await findKey(db, keyId));
}

/** Other changes of the key and its grants wait until the end of the transaction. */
export async function keyToChange(db: Database, keyId: string): Promise<ApiKeyRow> {
  return unrevoked(await keyToRevoke(db, keyId));
}

/** The same, but the key may be revoked already. */
export async function keyToRevoke(db: Database, keyId: string): Promise<ApiKeyRow> {
  return orNotFound(await lockKey(db, keyId));
}

function orNotFound(row: ApiKeyRow | undefined): ApiKeyRow {
  if (!row) throw new Problem('key_not_found');
  return row;
}

function unrevoked(row: ApiKeyRow): ApiKeyRow {
  if (row.revoked_at !== null) throw new Problem('key_revoked');
  return row;
}

export async function getKey({ store }: SupportEnvironment, keyId: string): Promise<ShownKey> {
  return showKey(await findKey(store.db, keyId));
}
