/** Every operation of the support API, by the tag that it has in the OpenAPI document, in the document's order. */
import { auditRoutes } from './audit/routes.ts';
import { callRoutes } from './calls/routes.ts';
import { caseRoutes } from './cases/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { grantRoutes } from './grants/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { limitRequestRoutes } from './limit-requests/routes.ts';
import { midofficeRoutes } from './midoffices/routes.ts';
import { noteRoutes } from './notes/routes.ts';
import { noticeRoutes } from './notices/routes.ts';
import { partnerRoutes } from './partners/routes.ts';
import { peopleRoutes } from './people/routes.ts';
import { portalAccessRoutes } from './portal/routes.ts';
import type { Route } from './route.ts';
import { searchRoutes } from './search/routes.ts';
import { statsRoutes } from './stats/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { usageHistoryRoutes } from './usage-history/routes.ts';

type Tagged = readonly [tag: string, routes: readonly Route[]];

/** What partners have. */
export const routesOfRecords: readonly Tagged[] = [
  ['partners', partnerRoutes],
  ['portal', portalAccessRoutes],
  ['portal', noticeRoutes],
  ['keys', keyRoutes],
  ['grants', grantRoutes],
  ['grants', limitRequestRoutes],
  ['usage', usageHistoryRoutes],
  ['usage', callRoutes],
  ['midoffices', midofficeRoutes],
  ['deliveries', deliveryRoutes],
  ['deliveries', caseRoutes],
  ['notes', noteRoutes],
];

/** Who did what, who may, and what the first page shows. */
export function routesOfSupport(readers: Parameters<typeof statsRoutes>[0]): readonly Tagged[] {
  return [
    ['audit', auditRoutes],
    ['tokens', tokenRoutes],
    ['people', peopleRoutes],
    ['console', statsRoutes(readers)],
    ['console', searchRoutes],
  ];
}
