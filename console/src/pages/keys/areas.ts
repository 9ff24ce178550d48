/** The 43 endpoints by area, as the specification groups them. */
import { type CatalogueEntry, catalogue } from '../../../../server/src/catalogue.ts';

export const ROOT = 'api/b2b/v3/';

/** The first endpoint of each area; the area ends where the next one starts. */
const beginnings: Record<string, string> = {
  'search/hotelsort/': 'Search',
  'serp/prebook/': 'Prebook',
  'hotel/info/': 'Hotel data',
  'hotel/order/booking/form/': 'Hotel orders',
  'hotel/order/document/voucher/download/': 'Documents',
  'profiles/create/': 'Profiles',
  'ordergroup/create/': 'Order groups',
  'general/contract/data/info/': 'General',
};

export interface Area {
  name: string;
  endpoints: CatalogueEntry[];
}

export const areas: readonly Area[] = catalogue.reduce<Area[]>((found, entry) => {
  const name = beginnings[shortPath(entry.endpoint)];
  if (name) found.push({ name, endpoints: [] });
  found.at(-1)?.endpoints.push(entry);
  return found;
}, []);

export function shortPath(endpoint: string): string {
  return endpoint.startsWith(ROOT) ? endpoint.slice(ROOT.length) : endpoint;
}
