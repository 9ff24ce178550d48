import { newestPartners } from '../../store/records/partners.ts';
import type { SupportEnvironment } from '../environment.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { type ShownPartner, showPartner } from './partners.ts';

export async function listPartners(
  { store }: SupportEnvironment,
  request: PageRequest & { name?: string | undefined },
): Promise<Page<ShownPartner>> {
  return pageOf(request, {
    read: (slice) => newestPartners(store.db, slice, { name: request.name }),
    positionOf: (row) => [row.created_at, row.id],
    show: showPartner,
  });
}
