/** What every page works with: who is signed in, and the calls, queries and links of that environment. */
import { createContext, useContext } from 'react';
import type { Zone } from '../../../console/src/ui/text/zone.ts';
import { callIn, type EnvironmentCall } from '../api/client.ts';
import { type Queries, queriesOf } from '../api/queries.ts';
import type { Environment, Me, PortalScope } from '../api/types.ts';
import { type Links, linksOf } from './links.ts';

export interface View {
  me: Me;
  environment: Environment;
  call: EnvironmentCall;
  queries: Queries;
  links: Links;
  /** Whether this session may do what the scope allows. The server enforces it; the page only hides controls. */
  may(scope: PortalScope): boolean;
  /** Every page reads this value, so all of it is drawn again when the zone changes. */
  zone: Zone;
}

export function viewOf(me: Me, zone: Zone): View {
  const { environment } = me;
  const call = callIn(environment);
  return {
    me,
    environment,
    call,
    queries: queriesOf(environment, call),
    links: linksOf(environment),
    may: (scope) => !me.is_read_only && me.scopes.includes(scope),
    zone,
  };
}

const ViewContext = createContext<View | undefined>(undefined);
export const ViewProvider = ViewContext.Provider;

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error('This part needs someone to be signed in.');
  return view;
}
