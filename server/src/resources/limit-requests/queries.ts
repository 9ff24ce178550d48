import { isPostgres } from '../../store/engine.ts';
import type { Database, LimitRequestRow } from '../../store/schema.ts';
import { readNewest, type Slice } from '../../store/slice.ts';
import { Problem } from '../problem.ts';

export async function insertLimitRequest(db: Database, row: LimitRequestRow): Promise<void> {
  await db.insertInto('limit_request').values(row).execute();
}

export async function hasOpenLimitRequest(
  db: Database,
  keyId: string,
  endpoint: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('limit_request')
    .select('id')
    .where('key_id', '=', keyId)
    .where('endpoint', '=', endpoint)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return row !== undefined;
}

/** Other answers wait until the transaction ends. */
export async function findLimitRequestToAnswer(db: Database, id: string): Promise<LimitRequestRow> {
  const query = db.selectFrom('limit_request').selectAll().where('id', '=', id);
  const row = await (isPostgres(db) ? query.forUpdate() : query).executeTakeFirst();
  if (!row) throw new Problem('limit_request_not_found');
  return row;
}

export async function patchLimitRequest(
  db: Database,
  id: string,
  columns: Partial<LimitRequestRow>,
): Promise<void> {
  await db.updateTable('limit_request').set(columns).where('id', '=', id).execute();
}

export async function newestLimitRequests(
  db: Database,
  slice: Slice,
  {
    state,
    partnerId,
  }: { state: LimitRequestRow['state'] | undefined; partnerId: string | undefined },
): Promise<LimitRequestRow[]> {
  let query = db.selectFrom('limit_request').selectAll();
  if (state !== undefined) query = query.where('state', '=', state);
  if (partnerId !== undefined) query = query.where('partner_id', '=', partnerId);
  return readNewest(query, slice, { time: 'at', id: 'id' });
}
