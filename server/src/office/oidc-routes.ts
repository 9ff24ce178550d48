/**
 * Signs people in to the console through OpenID Connect: sends the browser to the provider, and opens a session
 * when it comes back. These are pages that a browser visits, so a refusal leads to the sign-in page.
 */
import type { FastifyRequest } from 'fastify';
import { callerAddress } from '../base/addresses/caller-address.ts';
import { TooManyFailedLogins } from '../gateway/sign-in/failed-logins.ts';
import { personInAudit, recordPerson } from '../resources/people/people.ts';
import { createCookie } from './cookies.ts';
import type { App } from './http-app.ts';
import { ATTEMPT_LIFE_MS, type Attempt, beginAttempt, readAttempt } from './oidc/attempt.ts';
import type { Prompt, Provider, SignedIn } from './oidc/provider.ts';
import { SignInRefused } from './oidc/refusal.ts';
import { SIGN_IN_PAGE, type SignInParts } from './session-routes.ts';

const CALLBACK = '/console/oidc/callback';
/** Strict would keep it from us when the provider sends the browser back. */
const COOKIE = { name: 'bellhop_sign_in', sameSite: 'lax', lifeMs: ATTEMPT_LIFE_MS } as const;

interface OidcParts extends SignInParts {
  /** The address of the back office as browsers see it, if the operator has set it. */
  backOfficeUrl?: string | undefined;
}

export function oidcRoutes(app: App, parts: OidcParts, provider: Provider): void {
  const { clock, sessions, ownPages, backOfficeStore, trustedProxies, failedLogins, securityLog } =
    parts;
  const cookie = createCookie(ownPages, COOKIE);
  const redirectUriFor = (request: FastifyRequest) =>
    (parts.backOfficeUrl ?? ownPages.originOf(request)) + CALLBACK;

  function refuse(request: FastifyRequest, error: unknown): string {
    if (!(error instanceof SignInRefused)) throw error;
    securityLog.signInRefused(request, error);
    return `${SIGN_IN_PAGE}?refused=${error.code}`;
  }

  function attemptIn(request: FastifyRequest): Attempt {
    const attempt = readAttempt(cookie.read(request) ?? '', clock.now());
    if (!attempt) throw new SignInRefused('expired', 'this browser has no sign-in in progress');
    return attempt;
  }

  /** Failures count as those with tokens do: anyone can make us ask the provider. */
  async function identify(attempt: Attempt, request: FastifyRequest): Promise<SignedIn> {
    const callbackUrl = new URL(redirectUriFor(request) + (/\?.*$/.exec(request.url)?.[0] ?? ''));
    let refusal: unknown;
    const verify = () =>
      provider.identify(attempt, callbackUrl).catch((error) => {
        if (error instanceof SignInRefused && error.code === 'unreachable') throw error;
        refusal = error;
        return undefined;
      });
    try {
      const caller = callerAddress(request.raw, trustedProxies);
      const signedIn = await failedLogins.attempt(caller, verify);
      if (signedIn) return signedIn;
    } catch (error) {
      if (!(error instanceof TooManyFailedLogins)) throw error;
      throw new SignInRefused('held_back', 'too many failures from this address');
    }
    throw refusal;
  }

  const hidden = { exposeHeadRoute: false, schema: { hide: true } };

  app.get('/console/oidc/sign-in', hidden, async (request, reply) => {
    const { return_to, prompt } = request.query as Record<string, unknown>;
    const attempt = beginAttempt(clock.now(), return_to);
    try {
      const redirectUri = redirectUriFor(request);
      const url = await provider.signInUrl(attempt, { redirectUri, prompt: promptIn(prompt) });
      reply.header('set-cookie', cookie.write(request, attempt.cookie));
      return reply.redirect(url, 303);
    } catch (error) {
      return reply.redirect(refuse(request, error), 303);
    }
  });

  app.get(CALLBACK, hidden, async (request, reply) => {
    // Whatever comes of it, the attempt is over.
    reply.header('set-cookie', cookie.write(request, ''));
    try {
      const attempt = attemptIn(request);
      const { identity, whyNoRole, tokens } = await identify(attempt, request);
      request.actor = personInAudit(identity);
      // Also if the role is gone: that ends the sessions that the person still has.
      const person = await recordPerson(backOfficeStore, identity, clock.now());
      if (whyNoRole) throw whyNoRole;
      const session = person && (await sessions.open({ person, tokens }, request));
      if (session === undefined) {
        throw new SignInRefused('expired', 'another sign-in changed the role meanwhile');
      }
      reply.header('set-cookie', session);
      securityLog.signedIn(request);
      return reply.redirect(attempt.returnPath, 303);
    } catch (error) {
      return reply.redirect(refuse(request, error), 303);
    }
  });
}

function promptIn(text: unknown): Prompt {
  return text === 'login' || text === 'none' ? text : undefined;
}
