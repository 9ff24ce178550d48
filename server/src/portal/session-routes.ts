/** Signing in with a key, and signing out. Links are used in enter-routes.ts. */
import { callerAddress } from '../base/addresses/caller-address.ts';
import type { PortalScope } from '../base/config/portal-scopes.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { KeySignedIn, KeyToSignIn } from '../gateway/key-sign-in.ts';
import type { App } from '../office/http-app.ts';
import type { SecurityLog } from '../office/security-log.ts';
import { like, story } from '../resources/examples.ts';
import { anyText, Environment, input, Type } from '../resources/forms.ts';
import { endSession, openSessionOfKey } from '../resources/portal/sessions.ts';
import { Problem } from '../resources/problem.ts';
import { environmentOf, type GuardParts, sessionIn } from './guard.ts';
import { Me, showMe } from './me.ts';
import { anySession } from './openapi.ts';

/** As long as what the partner API accepts in a header. */
const LONGEST_CREDENTIAL = 1_024;

const KeyCredentials = input('KeyCredentials', {
  key_id: like(story.keyId, anyText(1, LONGEST_CREDENTIAL)),
  api_key: like(story.apiKey, anyText(1, LONGEST_CREDENTIAL)),
});

export interface SessionParts extends GuardParts {
  keySignIn(environment: EnvironmentName, key: KeyToSignIn): Promise<KeySignedIn>;
  keyScopes: ReadonlyMap<EnvironmentName, readonly PortalScope[]>;
  securityLog: SecurityLog;
}

export function sessionRoutes(app: App, parts: SessionParts): void {
  const { environments, keySignIn, keyScopes, cookies, ownPages, securityLog } = parts;
  const address = '/portal/v1/:environment/session';
  const params = Type.Object({ environment: Environment });

  app.post(
    address,
    {
      // Signing people in to someone else's account without their knowledge is an attack too.
      onRequest: async (request) => ownPages.checkOrigin(request),
      config: {
        problems: [
          'csrf',
          'incorrect_credentials',
          'api_access_disabled',
          'not_allowed_host',
          'key_sign_in_off',
          'too_many_failed_logins',
          'too_many_portal_calls',
        ],
      },
      schema: {
        tags: ['session'],
        operationId: 'signInWithKey',
        summary: 'Sign in with a key; the reply sets the cookie',
        description:
          'The same key id and API key as for the partner API, with the same checks. Failed sign-ins count together with those of the partner API.',
        security: [],
        params,
        body: KeyCredentials,
        response: { 200: Me },
      },
    },
    async (request, reply) => {
      const environment = environmentOf(environments, request);
      const scopes = keyScopes.get(environment.name) ?? [];
      if (scopes.length === 0) throw new Problem('key_sign_in_off');
      const { key_id: keyId, api_key: apiKey } = request.body;
      const caller = callerAddress(request.raw, parts.trustedProxies);
      const ended = await keySignIn(environment.name, { keyId, apiKey, address: caller });
      const how = { scopes, address: caller };
      const key = { ...signedInOrThrow(ended), apiKey };
      const opened = await openSessionOfKey(environment, key, how);
      request.actor = opened.session.opened_by;
      reply.header('set-cookie', cookies[environment.name].write(request, opened.id));
      securityLog.signedIn(request);
      return showMe(environment, opened.session);
    },
  );

  app.delete(
    address,
    {
      onRequest: async (request) => ownPages.checkOrigin(request),
      config: { problems: ['csrf'] },
      schema: {
        tags: ['session'],
        operationId: 'signOut',
        summary: 'Sign out; without a session, it only deletes the cookie',
        security: anySession,
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const environment = environmentOf(environments, request);
      const session = await sessionIn(parts, environment, request);
      if (session) {
        await endSession(environment, session.opened_by, session.partner_id, session.id);
        securityLog.signedOut(request);
      }
      reply.header('set-cookie', cookies[environment.name].write(request, ''));
      return reply.code(204).send(null);
    },
  );
}

/** Which of the two was wrong, or whether the key was revoked, nobody learns. */
function signedInOrThrow(ended: KeySignedIn): { keyId: string; partnerId: string } {
  if (ended.outcome === 'signed_in') return ended;
  const { outcome } = ended;
  if (outcome !== 'too_many_failed_logins') throw new Problem(outcome);
  throw new Problem(outcome, undefined, undefined, { retryAfterMs: ended.retryAfterMs });
}
