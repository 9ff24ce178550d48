import { nameContains } from '../../store/records/name-contains.ts';
import type { Desk } from '../environment.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { type ShownMidoffice, showMidoffice } from './midoffices.ts';

export async function listMidoffices(
  desk: Desk,
  request: PageRequest & { name?: string | undefined },
): Promise<Page<ShownMidoffice>> {
  const { db, engine } = desk.store;
  let query = db.selectFrom('midoffice').selectAll();
  if (request.name !== undefined) query = query.where(nameContains(engine, request.name));
  const page = await pageOf(query, request, {
    time: 'created_at',
    id: 'id',
    of: (row) => [row.created_at, row.id],
  });
  return { ...page, items: page.items.map(showMidoffice) };
}
