/**
 * The partners' portal: people who work for a partner help themselves. Its flow, for every request of its API:
 *
 *     cookie → session → scope → the partner's view → action → reply
 *
 * The partner comes from the session alone (guard.ts). An action gets a view that is that partner's (view.ts), and
 * neither a store nor ids to compare, so there is nothing that it could forget to check.
 */
import { fileURLToPath } from 'node:url';
import type { Cidr } from '../base/addresses/addresses.ts';
import type { Clock } from '../base/clock.ts';
import type { PortalScope } from '../base/config/portal-scopes.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { KeySignedIn, KeyToSignIn } from '../gateway/key-sign-in.ts';
import type { Certificate } from '../listener/certificate.ts';
import { addRoutes } from '../office/add-routes.ts';
import { createCookie, portalSession } from '../office/cookies.ts';
import { type App, plain } from '../office/http-app.ts';
import { createOwnPages } from '../office/own-pages.ts';
import type { Pages } from '../office/page-files.ts';
import { createPagesApp } from '../office/pages-app.ts';
import { preparedJson } from '../office/prepared-json.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { enterRoutes } from './enter-routes.ts';
import { type Brand, entranceRoutes } from './entrance.ts';
import { createGuards, partnerServing } from './guard.ts';
import { aboutPortal } from './openapi.ts';
import { portalRoutes } from './routes.ts';
import { sessionRoutes } from './session-routes.ts';

/** The portal's own pages; the partner guide and the references of what partners may call. */
const FOLDERS = {
  pages: fileURLToPath(new URL('../../../portal/dist', import.meta.url)),
  docs: fileURLToPath(new URL('../../../site/dist/partners', import.meta.url)),
};
const PAGES: Pages = {
  programs: /^\/(?:portal|enter|confirm|brand|health|assets|openapi(?:\.json)?)(?:\/|$)/,
};

export interface Portal {
  environments: ReadonlyMap<EnvironmentName, SupportEnvironment>;
  /** Signs a key in where the partner API does. */
  keySignIn(environment: EnvironmentName, key: KeyToSignIn): Promise<KeySignedIn>;
  /** What people may do who sign in with a key; without any, they cannot. */
  keyScopes: ReadonlyMap<EnvironmentName, readonly PortalScope[]>;
  /** Where partners find the partner API, for its documentation. */
  partnerApiUrls: ReadonlyMap<EnvironmentName, string>;
  brand: Brand;
  trustedProxies: readonly Cidr[];
  /** Undefined if the listener speaks plain HTTP. */
  certificate?: Certificate | undefined;
  clock: Clock;
  metrics: Metrics;
  log: Log;
}

/** Its schemas are loaded when someone first asks for it. */
function partnerApiDocument({ partnerApiUrls }: Portal): ReturnType<typeof preparedJson> {
  let send: ReturnType<typeof preparedJson> | undefined;
  return async (request, reply) => {
    const { partnerDocument } = await import('../office/openapi/partner.ts');
    send ??= preparedJson(() => partnerDocument(partnerApiUrls));
    return send(request, reply);
  };
}

export async function createPortal(parts: Portal): Promise<App> {
  const ownPages = createOwnPages(parts.trustedProxies);
  const cookies = {
    production: createCookie(ownPages, portalSession('production')),
    sandbox: createCookie(ownPages, portalSession('sandbox')),
  };
  return createPagesApp(
    { ...parts, listener: 'portal' },
    {
      folders: FOLDERS,
      pages: PAGES,
      about: aboutPortal,
      addRoutes(app, securityLog) {
        const untyped = plain(app);
        const all = { ...parts, ownPages, cookies, securityLog };
        const guards = createGuards(all);
        for (const [tag, routes] of Object.entries(portalRoutes)) {
          addRoutes(untyped, partnerServing(guards), tag, routes);
        }
        entranceRoutes(app, all);
        sessionRoutes(app, all);
        enterRoutes(untyped, all);
        app.get('/openapi/partner.json', { schema: { hide: true } }, partnerApiDocument(parts));
      },
    },
  );
}
