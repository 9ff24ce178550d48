/** Who is signed in, and whether the session may do this. The only place that knows whose view an action gets. */
import type { FastifyRequest } from 'fastify';
import type { Cidr } from '../base/addresses/addresses.ts';
import { callerAddress } from '../base/addresses/caller-address.ts';
import { type PortalScope, portalScopes } from '../base/config/portal-scopes.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Serving } from '../office/add-routes.ts';
import type { Cookie } from '../office/cookies.ts';
import { isRead, type OwnPages } from '../office/own-pages.ts';
import { askedBy, type SupportEnvironment } from '../resources/environment.ts';
import type { OpenSession } from '../resources/portal/queries.ts';
import { readScopes } from '../resources/portal/scopes.ts';
import { findSession } from '../resources/portal/sessions.ts';
import { Problem } from '../resources/problem.ts';
import { routesUnder } from '../resources/route.ts';
import { type PartnerView, viewOf } from './view.ts';

declare module 'fastify' {
  interface FastifyRequest {
    partnerView?: PartnerView;
  }
}

export interface GuardParts {
  environments: ReadonlyMap<EnvironmentName, SupportEnvironment>;
  cookies: Record<EnvironmentName, Cookie>;
  ownPages: OwnPages;
  trustedProxies: readonly Cidr[];
}

type Guards = Serving<PortalScope, PortalContext>['guards'];

export function createGuards(parts: GuardParts): Guards {
  const guardOf = (scope: PortalScope) => async (request: FastifyRequest) => {
    const { environment, session } = await signedIn(parts, request);
    if (!isRead(request)) {
      // SameSite=Strict keeps the cookie from requests that other sites cause; browsers also say where a change comes from.
      parts.ownPages.checkOrigin(request);
      if (session.came_by === 'support') throw new Problem('read_only_session');
    }
    if (!readScopes(session.scopes).includes(scope)) {
      throw new Problem(
        'scope_required',
        `This needs the scope ${scope}, which this session lacks.`,
      );
    }
    const address = callerAddress(request.raw, parts.trustedProxies);
    request.partnerView = viewOf(askedBy(session.partner_id, environment), session, address);
  };
  return Object.fromEntries(portalScopes.map((scope) => [scope, guardOf(scope)])) as Guards;
}

/** Throws if nobody is. */
async function signedIn(
  parts: GuardParts,
  request: FastifyRequest,
): Promise<{ environment: SupportEnvironment; session: OpenSession }> {
  const environment = environmentOf(parts.environments, request);
  const session = await sessionIn(parts, environment, request);
  if (!session) throw new Problem('unauthenticated');
  return { environment, session };
}

/** Undefined if there is none, if it has ended, or if it may not be used from this address. */
export async function sessionIn(
  { cookies, trustedProxies }: Pick<GuardParts, 'cookies' | 'trustedProxies'>,
  environment: SupportEnvironment,
  request: FastifyRequest,
): Promise<OpenSession | undefined> {
  const id = cookies[environment.name].read(request);
  const address = callerAddress(request.raw, trustedProxies);
  const session = await findSession(environment, id, address);
  if (session) request.actor = session.opened_by;
  return session;
}

/** The one in the address. */
export function environmentOf(
  environments: GuardParts['environments'],
  { params }: FastifyRequest,
): SupportEnvironment {
  const { environment: name } = params as { environment: EnvironmentName };
  const environment = environments.get(name);
  if (!environment) throw new Problem('environment_not_found');
  return environment;
}

export function partnerServing(guards: Guards): Serving<PortalScope, PortalContext> {
  return {
    guards,
    contextOf({ partnerView }) {
      if (!partnerView) throw new Error('a route of the portal without a guard');
      return { view: partnerView };
    },
  };
}

/** All that an action of the portal gets besides what the caller sent. */
interface PortalContext {
  view: PartnerView;
}

/** A route of the portal. `may` is the scope that a session needs for it. */
export const route = routesUnder<PortalScope, PortalContext>('/portal/v1');
