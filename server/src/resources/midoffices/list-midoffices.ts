import type { SupportEnvironment } from '../environment.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { withHealth } from './health.ts';
import { type Midoffice, showMidoffice } from './midoffice.ts';
import { newestMidoffices } from './queries.ts';

export async function listMidoffices(
  { store }: SupportEnvironment,
  request: PageRequest & { name?: string | undefined },
): Promise<Page<Midoffice>> {
  const page = await pageOf(request, {
    read: (slice) => newestMidoffices(store.db, slice, { name: request.name }),
    positionOf: (row) => [row.created_at, row.id],
    show: showMidoffice,
  });
  return { ...page, items: await withHealth(store.db, page.items) };
}
