import type { Database, PartnerRow } from '../schema.ts';
import { nameContains } from './name-contains.ts';
import { readNewest, type Slice } from './page.ts';

/** A search by name looks at this many partners, which takes some 50 ms. Lists have no such limit. */
const NAMES_SEARCHED = 200_000;

export async function readPartner(db: Database, id: string): Promise<PartnerRow | undefined> {
  return db.selectFrom('partner').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Whether there is a partner, of this name if one is given. */
export async function hasPartner(db: Database, name?: string): Promise<boolean> {
  let query = db.selectFrom('partner').select('id').limit(1);
  if (name !== undefined) query = query.where('name', '=', name);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function insertPartner(db: Database, row: PartnerRow): Promise<void> {
  await db.insertInto('partner').values(row).execute();
}

/** Writes only the given columns, so that two people can change two of them at the same time. */
export async function patchPartner(
  db: Database,
  id: string,
  columns: Partial<PartnerRow>,
): Promise<void> {
  await db.updateTable('partner').set(columns).where('id', '=', id).execute();
}

/** All partners, or those whose name contains `name`. */
export async function newestPartners(
  db: Database,
  slice: Slice,
  { name }: { name?: string | undefined },
): Promise<PartnerRow[]> {
  let query = db.selectFrom('partner').selectAll();
  if (name !== undefined) query = query.where(nameContains(db, name));
  return readNewest(query, slice, { time: 'created_at', id: 'id' });
}

/** Partners whose name contains the typed text, among the newest. */
export async function searchPartners(
  db: Database,
  typed: string,
  limit: number,
): Promise<PartnerRow[]> {
  const ids = db
    .selectFrom((from) =>
      from
        .selectFrom('partner')
        .select(['id', 'name'])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(NAMES_SEARCHED)
        .as('newest'),
    )
    .select('id')
    .where(nameContains(db, typed))
    .limit(limit);
  return db.selectFrom('partner').selectAll().where('id', 'in', ids).execute();
}
