import { nameContains } from '../../store/records/name-contains.ts';
import type { Desk } from '../environment.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { type ShownPartner, showPartner } from './partners.ts';

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
