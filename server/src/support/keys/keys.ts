/** Keys as support sees them. The API key itself is shown once, when it is made, and never here. */
import type { Kysely } from 'kysely';
import { previousKeysOf } from '../../previous-keys.ts';
import type { ApiKeyRow, Schema } from '../../store/schema.ts';
import { type Desk, isoOrNull } from '../environment.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { Problem } from '../problem.ts';

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

export async function findKey(db: Kysely<Schema>, keyId: string): Promise<ApiKeyRow> {
  const row = await db
    .selectFrom('api_key')
    .selectAll()
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  if (!row) throw new Problem('key_not_found');
  return row;
}

export async function findLivingKey(db: Kysely<Schema>, keyId: string): Promise<ApiKeyRow> {
  const row = await findKey(db, keyId);
  if (row.revoked_at !== null) throw new Problem('key_revoked');
  return row;
}

export async function getKey(desk: Desk, keyId: string): Promise<ShownKey> {
  return showKey(await findKey(desk.store.db, keyId));
}

export async function listKeys(
  desk: Desk,
  request: PageRequest & { partner_id?: string | undefined },
): Promise<Page<ShownKey>> {
  let query = desk.store.db.selectFrom('api_key').selectAll();
  if (request.partner_id !== undefined) query = query.where('partner_id', '=', request.partner_id);
  const page = await pageOf(query, request, {
    time: 'created_at',
    id: 'key_id',
    of: (row) => [row.created_at, row.key_id],
  });
  return { ...page, items: page.items.map(showKey) };
}
