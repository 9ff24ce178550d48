/** Signs in to the console: exchanges a token for a cookie that scripts cannot read. */
import type { FastifyRequest } from 'fastify';
import type { Cidr } from '../base/addresses/addresses.ts';
import { callerAddress } from '../base/addresses/caller-address.ts';
import type { Clock } from '../base/clock.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { type FailedLogins, TooManyFailedLogins } from '../gateway/sign-in/failed-logins.ts';
import { like, story } from '../resources/examples.ts';
import { Environment, input, orNull, reply, Type } from '../resources/forms.ts';
import { Problem } from '../resources/problem.ts';
import { findToken, Role } from '../resources/tokens/tokens.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import type { App } from './http-app.ts';
import type { Provider } from './oidc/provider.ts';
import type { OwnPages } from './own-pages.ts';
import type { SecurityLog } from './security-log.ts';
import { type Principal, principalOfToken, type Sessions } from './session.ts';
import { checkMayUseConsole, type TokenUse } from './sign-in.ts';

export const NewConsoleSession = input('NewConsoleSession', {
  token: like(story.token, Type.String({ minLength: 1, maxLength: 256 })),
});

const SignInMethods = reply('SignInMethods', {
  openid_connect: Type.Boolean({
    description: 'Whether people can sign in at `/console/oidc/sign-in`. Tokens always work.',
  }),
});

const SignedOut = reply('SignedOut', {
  continue_at: orNull(
    like(
      'https://login.example/logout',
      'Where the browser goes to sign out at the OpenID Connect provider too; null if it need not.',
    ),
  ),
});

const ConsoleSession = reply('ConsoleSession', {
  name: like(story.person),
  role: Role,
  environments: Type.Array(Environment, { description: 'Those that this process serves.' }),
});

/** What signing people in to the console needs, however they do it. */
export interface SignInParts {
  sessions: Sessions;
  ownPages: OwnPages;
  backOfficeStore: BackOfficeStore;
  trustedProxies: readonly Cidr[];
  /** Of people who sign in to the console. */
  failedLogins: FailedLogins;
  securityLog: SecurityLog;
  clock: Clock;
}

interface SessionParts extends SignInParts {
  environments: ReadonlyMap<EnvironmentName, unknown>;
  tokenUse: TokenUse;
  /** Undefined if people sign in with tokens only. */
  provider?: Pick<Provider, 'signOutUrl'> | undefined;
  backOfficeUrl?: string | undefined;
}

/** Where the provider sends people who have signed out. */
export const SIGN_IN_PAGE = '/sign-in';

export function sessionRoutes(app: App, parts: SessionParts): void {
  const { sessions, ownPages, backOfficeStore, environments, clock, trustedProxies } = parts;
  const { failedLogins } = parts;
  const address = '/console/session';

  const show = ({ name, role }: Principal) => ({
    name,
    role,
    environments: [...environments.keys()],
  });

  async function unlessTooManyFailedLogins<T>(step: () => T): Promise<Awaited<T>> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof TooManyFailedLogins)) throw error;
      throw new Problem('too_many_failed_logins', undefined, undefined, error);
    }
  }

  async function signIn(token: string, request: FastifyRequest) {
    const caller = callerAddress(request.raw, trustedProxies);
    const find = () => findToken(backOfficeStore, token, clock.now());
    const found = await unlessTooManyFailedLogins(() => failedLogins.attempt(caller, find));
    if (found) return found;
    throw notAToken();
  }

  app.get(
    '/console/sign-in',
    {
      schema: {
        tags: ['console'],
        operationId: 'getSignInMethods',
        summary: 'Show how people can sign in',
        security: [],
        response: { 200: SignInMethods },
      },
    },
    async () => ({ openid_connect: parts.provider !== undefined }),
  );

  app.post(
    address,
    {
      // Signing people in to someone else's account without their knowledge is an attack too.
      onRequest: async (request) => {
        ownPages.checkOrigin(request);
        // Before the body is read: a caller that is held back can't make us parse anything.
        const caller = callerAddress(request.raw, trustedProxies);
        await unlessTooManyFailedLogins(() => failedLogins.check(caller));
      },
      config: { problems: ['unauthenticated', 'forbidden', 'csrf', 'too_many_failed_logins'] },
      schema: {
        tags: ['console'],
        operationId: 'signIn',
        summary: 'Sign in with a token; the reply sets the cookie',
        security: [],
        body: NewConsoleSession,
        response: { 200: ConsoleSession },
      },
    },
    async (request, reply) => {
      const token = await signIn(request.body.token, request);
      const principal = principalOfToken(token);
      request.actor = principal.actor;
      checkMayUseConsole(principal);
      const cookie = await sessions.open({ token }, request);
      if (cookie === undefined) throw notAToken();
      reply.header('set-cookie', cookie);
      parts.tokenUse(token);
      parts.securityLog.signedIn(request);
      return show(principal);
    },
  );

  app.get(
    address,
    {
      config: { problems: ['unauthenticated', 'reauthentication_required'] },
      schema: {
        tags: ['console'],
        operationId: 'getSession',
        summary: 'Show who is signed in',
        security: [{ session: [] }],
        response: { 200: ConsoleSession },
      },
    },
    async (request) => {
      const principal = await sessions.find(request);
      if (!principal) throw new Problem('unauthenticated');
      return show(principal);
    },
  );

  app.delete(
    address,
    {
      onRequest: async (request) => ownPages.checkChange(request),
      config: { problems: ['csrf'] },
      schema: {
        tags: ['console'],
        operationId: 'signOut',
        summary: 'Sign out',
        security: [{ session: [] }],
        response: { 200: SignedOut },
      },
    },
    async (request, reply) => {
      const { setCookie, principal, idToken } = await sessions.close(request);
      reply.header('set-cookie', setCookie);
      if (principal) {
        request.actor = principal.actor;
        parts.securityLog.signedOut(request);
      }
      const isPerson = principal !== undefined && principal.token === undefined;
      const returnTo = `${parts.backOfficeUrl ?? ownPages.originOf(request)}${SIGN_IN_PAGE}`;
      const url = isPerson && (await parts.provider?.signOutUrl({ idToken, returnTo }));
      return { continue_at: url || null };
    },
  );
}

function notAToken(): Problem {
  return new Problem(
    'unauthenticated',
    'This is not a token of this server, or it was deleted or has expired.',
  );
}
