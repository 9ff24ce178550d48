/** The specification's listing (sections 4.3 and 8), copied by hand rather than from our catalogue. */

/** Section 4.3: the endpoints, in their order. */
const ORDER = `
  search/hotelsort/ search/lookuprate/ search/serp/hotels/ search/hp/ search/multicomplete/
  search/serp/region/ search/serp/geo/
  serp/prebook/ hotel/prebook/
  hotel/info/ hotel/info/dump/ hotel/info/incremental_dump/ hotel/static/ hotel/reviews/dump/
  hotel/incremental_reviews/dump/ hotel/poi/dump/ hotel/region/dump/
  hotel/order/booking/form/ hotel/order/booking/finish/ hotel/order/booking/finish/status/
  hotel/order/cancel/ hotel/order/info/ hotel/order/tickets/create/ hotel/order/tickets/list/
  hotel/order/document/voucher/download/ hotel/order/document/info_invoice/download/
  hotel/order/document/single_act/download/ ordergroup/document/invoice/download/
  general/document/closing_documents/download/ general/document/closing_documents/info/
  profiles/create/ profiles/delete/ profiles/disable/ profiles/edit/ profiles/list/
  profiles/restore/
  ordergroup/create/ ordergroup/order/add/ ordergroup/order/remove/ ordergroup/disband/
  ordergroup/info/
  general/contract/data/info/ overview/`;

/** Section 8: requests, seconds, endpoints. */
const LIMITS: [number, number, string][] = [
  [100, 10, 'search/hotelsort/ serp/prebook/ search/lookuprate/'],
  [150, 60, 'search/serp/hotels/'],
  [10, 60, 'search/hp/ search/serp/region/ search/serp/geo/'],
  [
    100,
    86_400,
    `overview/ hotel/info/dump/ hotel/info/incremental_dump/ hotel/static/ hotel/reviews/dump/
     hotel/incremental_reviews/dump/ hotel/poi/dump/ hotel/region/dump/
     general/document/closing_documents/download/ general/document/closing_documents/info/`,
  ],
  [
    30,
    60,
    `search/multicomplete/ hotel/info/ hotel/prebook/ hotel/order/booking/form/
     hotel/order/booking/finish/ hotel/order/booking/finish/status/ hotel/order/cancel/
     hotel/order/info/ hotel/order/tickets/create/ hotel/order/tickets/list/
     hotel/order/document/voucher/download/ hotel/order/document/info_invoice/download/
     hotel/order/document/single_act/download/ ordergroup/document/invoice/download/
     profiles/create/ profiles/delete/ profiles/disable/ profiles/edit/ profiles/list/
     profiles/restore/ general/contract/data/info/ ordergroup/create/ ordergroup/order/add/
     ordergroup/order/remove/ ordergroup/disband/ ordergroup/info/`,
  ],
];

const UNLIMITED = 'hotel/order/booking/finish/status/';

/** The overview's `data` for a new key. */
export const specifiedEndpoints = words(ORDER).map((path) => {
  const [requests_number, seconds_number] = LIMITS.find(([, , paths]) =>
    words(paths).includes(path),
  ) as [number, number, string];
  return {
    endpoint: `api/b2b/v3/${path}`,
    is_active: true,
    is_debug_mode: false,
    is_limited: path !== UNLIMITED,
    requests_number,
    seconds_number,
  };
});

/** The number of lines in section 8, to check that none was missed above. */
export const specifiedLimits = LIMITS.flatMap(([, , paths]) => words(paths)).length;

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
