/**
 * A partner's view: everything that the portal can show or do, of this one partner. Actions of the portal get this value
 * instead of a store, so that none of them can reach anything else.
 */
import type { Static } from 'typebox';
import type { SupportEnvironment } from '../resources/environment.ts';
import type { OpenSession } from '../resources/portal/queries.ts';
import { type Me, showMe } from './me.ts';

export interface PartnerView {
  me(): Static<typeof Me>;
}

/** `address` is where the request comes from. */
export function viewOf(
  environment: SupportEnvironment,
  session: OpenSession,
  _address: string,
): PartnerView {
  return { me: () => showMe(environment, session) };
}
