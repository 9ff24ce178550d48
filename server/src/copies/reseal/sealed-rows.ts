/** Every sealed API key, for `bellhop reseal`. */
import { sql } from 'kysely';
import type { ApiKeyRow, Database } from '../../store/schema.ts';

const COLUMNS = [
  'key_id',
  'sealed_key',
  'digest',
  'previous_sealed_key',
  'previous_digest',
  'previous_until',
  'earlier_keys',
] as const;

export type SealedRow = Pick<ApiKeyRow, (typeof COLUMNS)[number]>;

/** The next ones after this key, in the order of their ids. */
export async function sealedRowsAfter(
  db: Database,
  keyId: string,
  limit: number,
): Promise<SealedRow[]> {
  return db
    .selectFrom('api_key')
    .select(COLUMNS)
    .where('key_id', '>', keyId)
    .orderBy('key_id')
    .limit(limit)
    .execute();
}

export async function countSealedRows(db: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from api_key`.execute(db);
  return Number(rows[0]?.n ?? 0);
}

/** Returns false if the key was rotated since it was read. */
export async function replaceSealed(
  db: Database,
  before: SealedRow,
  { key_id, ...columns }: SealedRow,
): Promise<boolean> {
  let query = db.updateTable('api_key').set(columns).where('key_id', '=', key_id);
  for (const name of ['sealed_key', 'previous_sealed_key', 'earlier_keys'] as const) {
    const value = before[name];
    query = value === null ? query.where(name, 'is', null) : query.where(name, '=', value);
  }
  const { numUpdatedRows } = await query.executeTakeFirst();
  return numUpdatedRows === 1n;
}
