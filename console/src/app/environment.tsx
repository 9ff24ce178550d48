/**
 * What every page of one environment works with: its calls, its queries and its links. A page never
 * sees the other environment.
 */
import { createContext, useContext } from 'react';
import { callIn, dryRunIn, type EnvironmentCall, type EnvironmentDryRun } from '../api/client.ts';
import { type Queries, queriesOf } from '../api/queries.ts';
import type { Environment, Session } from '../api/types.ts';
import type { Zone } from '../ui/text/zone.ts';
import { type Links, linksOf } from './links.ts';

export interface EnvironmentValue {
  environment: Environment;
  call: EnvironmentCall;
  dryRun: EnvironmentDryRun;
  queries: Queries;
  links: Links;
  /** Whether this person may change things. The server enforces it; the page only hides controls. */
  mayChange: boolean;
  mayManageTokens: boolean;
  /** Every page reads this value, so all of it is drawn again when the zone changes. */
  zone: Zone;
}

export function environmentOf(
  environment: Environment,
  { role }: Session,
  zone: Zone,
): EnvironmentValue {
  const call = callIn(environment);
  return {
    environment,
    call,
    dryRun: dryRunIn(environment),
    queries: queriesOf(environment, call),
    links: linksOf(environment),
    mayChange: role === 'support' || role === 'admin',
    mayManageTokens: role === 'admin',
    zone,
  };
}

const EnvironmentContext = createContext<EnvironmentValue | undefined>(undefined);
export const EnvironmentProvider = EnvironmentContext.Provider;

export function useEnvironment(): EnvironmentValue {
  const value = useContext(EnvironmentContext);
  if (!value) throw new Error('This part belongs on a page of an environment.');
  return value;
}
