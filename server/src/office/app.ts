/**
 * The back office signs people and programs in, checks their input against the schemas, and calls support's
 * actions. This file only puts the parts together.
 */
import { fileURLToPath } from 'node:url';
import type { Cidr } from '../base/addresses/addresses.ts';
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
import { FailedLogins } from '../gateway/sign-in/failed-logins.ts';
import type { Certificate } from '../listener/certificate.ts';
import { askedBy, type SupportEnvironment } from '../resources/environment.ts';
import { Problem } from '../resources/problem.ts';
import type { Route } from '../resources/route.ts';
import { routesOfRecords, routesOfSupport } from '../resources/routes.ts';
import { createStatsReader } from '../resources/stats/stats.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { addRoutes, type RouteParts, supportServing } from './add-routes.ts';
import { serveCsv } from './csv.ts';
import { healthRoutes } from './health-routes.ts';
import { type App, plain } from './http-app.ts';
import { importRoutes } from './import-routes.ts';
import { createKnownTokens } from './known-tokens.ts';
import type { Provider } from './oidc/provider.ts';
import { oidcRoutes } from './oidc-routes.ts';
import { aboutBackOffice } from './openapi/back-office.ts';
import { partnerDocument } from './openapi/partner.ts';
import { orderRoutes } from './order-routes.ts';
import { createOwnPages } from './own-pages.ts';
import type { Pages } from './page-files.ts';
import { createPagesApp } from './pages-app.ts';
import type { PartnerSide } from './partner-side.ts';
import { preparedJson } from './prepared-json.ts';
import { createRoleChecks } from './role-checks.ts';
import type { SecurityLog } from './security-log.ts';
import { createSessions, endSessionsOfOtherIssuers } from './session.ts';
import { type SignInParts, sessionRoutes } from './session-routes.ts';
import { createSignIn, createTokenUse, type TokenUse } from './sign-in.ts';

const CONSOLE: Pages = {
  programs: /^\/(?:support|orders|health|metrics|console|assets|openapi(?:\.json)?)(?:\/|$)/,
};
const FOLDERS = {
  pages: fileURLToPath(new URL('../../../console/dist', import.meta.url)),
  docs: fileURLToPath(new URL('../../../site/dist/all', import.meta.url)),
};

export interface BackOffice {
  environments: ReadonlyMap<EnvironmentName, SupportEnvironment>;
  /** Tokens, sessions, and the audit of tokens. */
  backOfficeStore: BackOfficeStore;
  partnerSide: PartnerSide;
  /** A sentence while the thread of the partner API does not answer. */
  trouble(): string | undefined;
  /** Sentences while the mail server does not take mails. */
  mailTroubles(): string[];
  trustedProxies: readonly Cidr[];
  /** The address of the back office as browsers see it, if the operator has set it. */
  backOfficeUrl?: string | undefined;
  /** Where partners find the partner API, for its documentation. */
  partnerApiUrls: ReadonlyMap<EnvironmentName, string>;
  /** Signs people in; undefined if they sign in with tokens only. */
  provider?: Provider | undefined;
  /** How long a person's session is served after the provider last confirmed their role; 0: for all its life. */
  recheckMs: number;
  /** Undefined if the listener speaks plain HTTP. */
  certificate?: Certificate | undefined;
  clock: Clock;
  metrics: Metrics;
  log: Log;
  /** Undefined if order events are not traced. */
  tracer?: Tracer | undefined;
}

type AllParts = BackOffice & RouteParts & SignInParts & { tokenUse: TokenUse };

export async function createBackOffice(parts: BackOffice): Promise<App> {
  await endSessionsOfOtherIssuers(parts.backOfficeStore, parts.provider?.issuer);
  return createPagesApp(
    { ...parts, listener: 'back-office' },
    {
      folders: FOLDERS,
      pages: CONSOLE,
      about: aboutBackOffice,
      prepare(app) {
        app.decorate('challenge', 'Bearer realm="Bellhop back office"');
        serveCsv(app, parts);
      },
      addRoutes: (app, securityLog) => addAllRoutes(app, allPartsOf(parts, securityLog)),
    },
  );
}

function allPartsOf(parts: BackOffice, securityLog: SecurityLog): AllParts {
  const ownPages = createOwnPages(parts.trustedProxies);
  const { clock, provider } = parts;
  const tokens = createKnownTokens(parts.backOfficeStore, clock);
  const backOfficeStore = tokens.store;
  const roleChecks = provider && createRoleChecks({ ...parts, provider, store: backOfficeStore });
  const sessions = createSessions(backOfficeStore, clock, ownPages, roleChecks);
  const tokenUse = createTokenUse(backOfficeStore, clock);
  return {
    ...parts,
    backOfficeStore,
    securityLog,
    sessions,
    ownPages,
    tokenUse,
    failedLogins: new FailedLogins(clock),
    signIn: createSignIn({ tokens, sessions, ownPages, tokenUse }),
    environmentOf({ params }) {
      const environment = parts.environments.get(params.environment);
      if (!environment) throw new Problem('environment_not_found');
      return environment;
    },
  };
}

function addAllRoutes(app: App, parts: AllParts): void {
  const add = (tag: string, routes: readonly Route[]) =>
    addRoutes(plain(app), supportServing(parts), tag, routes);
  healthRoutes(app, parts);
  orderRoutes(app, parts);
  for (const [tag, routes] of routesOfRecords) add(tag, routes);
  importRoutes(app, parts);
  for (const [tag, routes] of routesOfSupport(statsReaders(parts))) add(tag, routes);
  sessionRoutes(app, parts);
  if (parts.provider) oidcRoutes(app, parts, parts.provider);
  const partnerApiDocument = () => partnerDocument(parts.partnerApiUrls);
  app.get('/openapi/partner.json', { schema: { hide: true } }, preparedJson(partnerApiDocument));
}

function statsReaders({ environments, backOfficeStore }: AllParts) {
  // Everybody shares what is read.
  const caller = 'stats';
  const shared = { ...backOfficeStore, db: backOfficeStore.dbFor(caller) };
  return new Map(
    [...environments].map(([name, environment]) => [
      name,
      createStatsReader(askedBy(caller, environment), shared),
    ]),
  );
}
