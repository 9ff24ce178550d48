/** Partners as support sees them: reading one, and the shape in which they are shown. */
import type { Kysely } from 'kysely';
import type { PartnerRow, Schema } from '../store/schema.ts';
import { type Desk, isoOrNull } from './desk.ts';
import { nameContains } from './name-contains.ts';
import { type Page, type PageRequest, pageOf } from './page.ts';
import { Problem } from './problem.ts';

export function showPartner(row: PartnerRow) {
  return {
    id: row.id,
    name: row.name,
    integration_started_on: row.integration_started_on,
    is_new: row.is_new === 1,
    suspended: row.suspended === 1,
    certified_at: isoOrNull(row.certified_at),
    certification_reference: row.certification_reference,
    midoffice_id: row.midoffice_id,
    created_at: new Date(row.created_at).toISOString(),
  };
}

export type ShownPartner = ReturnType<typeof showPartner>;

export async function findPartner(db: Kysely<Schema>, id: string): Promise<PartnerRow> {
  const row = await db.selectFrom('partner').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new Problem('partner_not_found');
  return row;
}

export async function getPartner(desk: Desk, id: string): Promise<ShownPartner> {
  return showPartner(await findPartner(desk.store.db, id));
}

export async function listPartners(
  desk: Desk,
  request: PageRequest & { name?: string | undefined },
): Promise<Page<ShownPartner>> {
  const { db, engine } = desk.store;
  let query = db.selectFrom('partner').selectAll();
  if (request.name !== undefined) query = query.where(nameContains(engine, request.name));
  const page = await pageOf(query, request, {
    time: 'created_at',
    id: 'id',
    of: (row) => [row.created_at, row.id],
  });
  return { ...page, items: page.items.map(showPartner) };
}
