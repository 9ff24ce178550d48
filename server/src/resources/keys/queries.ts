import type { ApiKeyRow, Database, ReplacedApiKeyRow } from '../../store/schema.ts';
import { readNewest, type Slice } from '../../store/slice.ts';
import { rowsOf } from '../row-queries.ts';

export const keys = rowsOf<ApiKeyRow>('api_key', 'key_id', 'key_not_found');

/** Returns false if there is a key with this id, even a revoked one. */
export async function insertKey(db: Database, row: ApiKeyRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('api_key')
    .values(row)
    .onConflict((conflict) => conflict.column('key_id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows !== 0n;
}

export async function keyIdsOf(db: Database, partnerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('api_key')
    .select('key_id')
    .where('partner_id', '=', partnerId)
    .execute();
  return rows.map(({ key_id }) => key_id);
}

/** Keys of a partner that sign in. */
export async function countWorkingKeys(
  db: Database,
  partnerId: string,
  nowMs: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('api_key')
    .select((select) => select.fn.countAll().as('count'))
    .where('partner_id', '=', partnerId)
    .where('revoked_at', 'is', null)
    .where('disabled', '=', 0)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', nowMs)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The newest keys of a partner. */
export async function newestKeys(
  db: Database,
  slice: Slice,
  { partnerId, withRevoked = true }: { partnerId: string; withRevoked?: boolean },
): Promise<ApiKeyRow[]> {
  const all = db.selectFrom('api_key').selectAll().where('partner_id', '=', partnerId);
  const query = withRevoked ? all : all.where('revoked_at', 'is', null);
  return readNewest(query, slice, { time: 'created_at', id: 'key_id' });
}

/** Those of these keys that are the partner's. */
export async function ownKeysAmong(
  db: Database,
  partnerId: string,
  keyIds: readonly string[],
): Promise<Set<string>> {
  if (keyIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('api_key')
    .select('key_id')
    .where('key_id', 'in', keyIds)
    .where('partner_id', '=', partnerId)
    .execute();
  return new Set(rows.map(({ key_id }) => key_id));
}

/** Of a key: the newest. A refused call that came with an older one came with an unknown one. */
export const MOST_REPLACED = 20;

/** A key may have the same API key twice only if somebody took it over; then the last time counts. */
export async function insertReplaced(db: Database, row: ReplacedApiKeyRow): Promise<void> {
  const { key_id, fingerprint, ...rest } = row;
  await db
    .insertInto('replaced_api_key')
    .values(row)
    .onConflict((conflict) => conflict.columns(['key_id', 'fingerprint']).doUpdateSet(rest))
    .execute();
  await db
    .deleteFrom('replaced_api_key')
    .where('key_id', '=', key_id)
    .where('fingerprint', 'not in', (kept) =>
      kept
        .selectFrom('replaced_api_key')
        .select('fingerprint')
        .where('key_id', '=', key_id)
        .orderBy('replaced_at', 'desc')
        .limit(MOST_REPLACED),
    )
    .execute();
}

/** The overlaps of all others are over. */
export async function endReplaced(
  db: Database,
  { keyId, working, nowMs }: { keyId: string; working: readonly string[]; nowMs: number },
): Promise<void> {
  await db
    .updateTable('replaced_api_key')
    .set({ works_until: nowMs })
    .where('key_id', '=', keyId)
    .where('works_until', '>', nowMs)
    .where('fingerprint', 'not in', working)
    .execute();
}

export async function readReplaced(
  db: Database,
  keyIds: readonly string[],
): Promise<ReplacedApiKeyRow[]> {
  if (keyIds.length === 0) return [];
  return db.selectFrom('replaced_api_key').selectAll().where('key_id', 'in', keyIds).execute();
}

/** A key with its partner's name. */
export type NamedKey = Pick<ApiKeyRow, 'key_id' | 'label' | 'disabled' | 'revoked_at'> & {
  partner_name: string;
};

export async function readNamedKeys(db: Database, keyIds: readonly string[]): Promise<NamedKey[]> {
  if (keyIds.length === 0) return [];
  return namedKeys(db).where('key_id', 'in', keyIds).execute();
}

/** Keys whose id starts with these digits, in the order of their ids. */
export async function searchKeys(db: Database, digits: string, limit: number): Promise<NamedKey[]> {
  const end = successorOf(digits);
  let query = namedKeys(db).where('key_id', '>=', digits);
  if (end !== undefined) query = query.where('key_id', '<', end);
  return query.orderBy('key_id').limit(limit).execute();
}

function namedKeys(db: Database) {
  return db
    .selectFrom('api_key')
    .innerJoin('partner', 'partner.id', 'api_key.partner_id')
    .select(['key_id', 'label', 'disabled', 'revoked_at', 'partner.name as partner_name']);
}

/** The first string of digits that follows all those starting with these; undefined if there is none. */
function successorOf(digits: string): string | undefined {
  const stem = digits.replace(/9+$/, '');
  if (stem === '') return undefined;
  return stem.slice(0, -1) + String(Number(stem.at(-1)) + 1);
}
