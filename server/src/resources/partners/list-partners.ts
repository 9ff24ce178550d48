import { type ShownCount, showCount } from '../count-queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { filter } from '../forms.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { type Partner, showPartner } from './partner.ts';
import { countPartners, newestPartners, type PartnerSearch, partnersByName } from './queries.ts';

export const partnerFilter = { name: filter('Part of the name.') };

/** Only orders that an index serves. */
export const partnerSorts = ['-created_at', 'created_at', 'name', '-name'] as const;

export async function listPartners(
  { store }: SupportEnvironment,
  request: PageRequest & PartnerSearch & { sort?: (typeof partnerSorts)[number] | undefined },
): Promise<Page<Partner>> {
  const { name, sort = '-created_at' } = request;
  const ascending = !sort.startsWith('-');
  if (sort.endsWith('name')) {
    return pageOf(request, {
      read: (slice) => partnersByName(store.db, slice, { name }),
      positionOf: (row) => [row.sorted_by, row.id],
      show: showPartner,
      ascending,
      sortedBy: 'text',
    });
  }
  return pageOf(request, {
    read: (slice) => newestPartners(store.db, slice, { name }),
    positionOf: (row) => [row.created_at, row.id],
    show: showPartner,
    ascending,
  });
}

export async function countListedPartners(
  { store }: SupportEnvironment,
  { name }: PartnerSearch,
): Promise<ShownCount> {
  return showCount(await countPartners(store.db, { name }));
}
