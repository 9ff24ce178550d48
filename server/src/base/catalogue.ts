/**
 * The 43 endpoints of the partner API in the order in which the overview lists them, each with the
 * limit that a new key gets. Bellhop answers `overview/` itself; of the others it knows only the path.
 */
import { API_ROOT } from '@bellhop/rules/endpoint-path';

export interface CatalogueEntry {
  /** Relative to the base address: no leading slash, with the trailing one. */
  readonly endpoint: string;
  readonly isLimited: boolean;
  readonly requestsNumber: number;
  readonly secondsNumber: number;
}

export interface Area {
  readonly name: string;
  readonly endpoints: readonly CatalogueEntry[];
}

function at(path: string, requestsNumber: number, secondsNumber: number): CatalogueEntry {
  return { endpoint: API_ROOT + path, isLimited: true, requestsNumber, secondsNumber };
}

export const OVERVIEW = `${API_ROOT}overview/`;

/** By area, as the specification groups them. */
export const areas: readonly Area[] = [
  {
    name: 'Search',
    endpoints: [
      at('search/hotelsort/', 100, 10),
      at('search/lookuprate/', 100, 10),
      at('search/serp/hotels/', 150, 60),
      at('search/hp/', 10, 60),
      at('search/multicomplete/', 30, 60),
      at('search/serp/region/', 10, 60),
      at('search/serp/geo/', 10, 60),
    ],
  },
  {
    name: 'Prebook',
    endpoints: [at('serp/prebook/', 100, 10), at('hotel/prebook/', 30, 60)],
  },
  {
    name: 'Hotel data',
    endpoints: [
      at('hotel/info/', 30, 60),
      at('hotel/info/dump/', 100, 86_400),
      at('hotel/info/incremental_dump/', 100, 86_400),
      at('hotel/static/', 100, 86_400),
      at('hotel/reviews/dump/', 100, 86_400),
      at('hotel/incremental_reviews/dump/', 100, 86_400),
      at('hotel/poi/dump/', 100, 86_400),
      at('hotel/region/dump/', 100, 86_400),
    ],
  },
  {
    name: 'Hotel orders',
    endpoints: [
      at('hotel/order/booking/form/', 30, 60),
      at('hotel/order/booking/finish/', 30, 60),
      // As the specification lists it: not limited, but with numbers.
      { ...at('hotel/order/booking/finish/status/', 30, 60), isLimited: false },
      at('hotel/order/cancel/', 30, 60),
      at('hotel/order/info/', 30, 60),
      at('hotel/order/tickets/create/', 30, 60),
      at('hotel/order/tickets/list/', 30, 60),
    ],
  },
  {
    name: 'Documents',
    endpoints: [
      at('hotel/order/document/voucher/download/', 30, 60),
      at('hotel/order/document/info_invoice/download/', 30, 60),
      at('hotel/order/document/single_act/download/', 30, 60),
      at('ordergroup/document/invoice/download/', 30, 60),
      at('general/document/closing_documents/download/', 100, 86_400),
      at('general/document/closing_documents/info/', 100, 86_400),
    ],
  },
  {
    name: 'Profiles',
    endpoints: [
      at('profiles/create/', 30, 60),
      at('profiles/delete/', 30, 60),
      at('profiles/disable/', 30, 60),
      at('profiles/edit/', 30, 60),
      at('profiles/list/', 30, 60),
      at('profiles/restore/', 30, 60),
    ],
  },
  {
    name: 'Order groups',
    endpoints: [
      at('ordergroup/create/', 30, 60),
      at('ordergroup/order/add/', 30, 60),
      at('ordergroup/order/remove/', 30, 60),
      at('ordergroup/disband/', 30, 60),
      at('ordergroup/info/', 30, 60),
    ],
  },
  {
    name: 'General',
    endpoints: [at('general/contract/data/info/', 30, 60), at('overview/', 100, 86_400)],
  },
];

export const catalogue: readonly CatalogueEntry[] = areas.flatMap(({ endpoints }) => endpoints);

const position = new Map(catalogue.map((entry, index) => [entry.endpoint, index]));

/** The position of an endpoint in the listing; undefined if there is no such endpoint. */
export function cataloguePosition(endpoint: string): number | undefined {
  return position.get(endpoint);
}

/** Without what all endpoints begin with: `search/hp/`. */
export function shortPath(endpoint: string): string {
  return endpoint.startsWith(API_ROOT) ? endpoint.slice(API_ROOT.length) : endpoint;
}

/** Request path → the catalogue's spelling; with and without the trailing slash, and nothing else. */
const byPath = new Map(
  catalogue.flatMap(({ endpoint }) => [
    [`/${endpoint}`, endpoint],
    [`/${endpoint.slice(0, -1)}`, endpoint],
  ]),
);

export function endpointAt(path: string): string | undefined {
  return byPath.get(path);
}

/** What a key may do with one endpoint: an entry of the overview, with its field names. */
export interface Grant {
  endpoint: string;
  is_active: boolean;
  is_debug_mode: boolean;
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
}

/** What the catalogue gives a new key for one endpoint. */
export function defaultGrant(endpoint: string): Grant {
  const entry = catalogue[cataloguePosition(endpoint) ?? -1];
  if (!entry) throw new Error(`no such endpoint: ${endpoint}`);
  return {
    endpoint,
    is_active: true,
    is_debug_mode: false,
    is_limited: entry.isLimited,
    requests_number: entry.requestsNumber,
    seconds_number: entry.secondsNumber,
  };
}
