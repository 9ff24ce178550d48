import type { PortalScope } from '../base/config/portal-scopes.ts';
import { routesUnder } from '../resources/route.ts';
import type { PartnerView } from './view.ts';

/** All that an action of the portal gets besides what the caller sent. */
export interface PortalContext {
  view: PartnerView;
}

/** A route of the portal. `may` is the scope that a session needs for it. */
export const route = routesUnder<PortalScope, PortalContext>('/portal/v1');
