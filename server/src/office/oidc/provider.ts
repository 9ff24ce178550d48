/**
 * The provider that signs people in, through the authorization code flow with PKCE. The library checks the
 * provider's answers: state, nonce, issuer, audience, times, and the signature of the ID token with an asymmetric
 * algorithm. It caches the provider's keys, and reads them again when a token names an unknown one.
 */
import * as client from 'openid-client';
import type { Clock } from '../../base/clock.ts';
import type { Identity } from '../../resources/people/people.ts';
import type { Attempt } from './attempt.ts';
import { ProviderUnreachable, providerDescription } from './discovery.ts';
import { type Claims, claimAt, identityFrom, whyNoRole } from './identity.ts';
import { SignInRefused } from './refusal.ts';
import type { OidcSettings } from './settings.ts';

/** An ID token that is longer is not sent with a sign-out: it goes into an address, which servers limit to 8 KiB. */
export const LONGEST_ID_TOKEN_HINT = 4_096;

export interface Provider {
  readonly issuer: string;
  /** Where the browser goes to sign in. */
  signInUrl(attempt: Attempt, options: { redirectUri: string; prompt?: Prompt }): Promise<string>;
  /** Who came back from there. Rejects with `SignInRefused`. */
  identify(attempt: Attempt, callbackUrl: URL): Promise<SignedIn>;
  /** What the provider says now about someone who signed in before. Rejects with `SignInRefused`. */
  identifyAgain(refreshToken: string, subject: string): Promise<SignedIn>;
  /** Where the browser goes to sign out; undefined if the provider has no page for it or does not answer, or the operator wants none. */
  signOutUrl(options: {
    idToken: string | undefined;
    returnTo: string;
  }): Promise<string | undefined>;
}

/** `login` asks for the credentials even if the provider knows the person; `none` asks for nothing. */
export type Prompt = 'login' | 'none' | undefined;

export interface SignedIn {
  identity: Identity;
  /** Set if the identity has no role. */
  whyNoRole?: SignInRefused;
  tokens: ProviderTokens;
}

/** What a later question to the provider needs. */
export interface ProviderTokens {
  /** Undefined if the provider gives none. */
  refreshToken: string | undefined;
  idToken: string | undefined;
}

type TokenReply = Awaited<ReturnType<typeof client.refreshTokenGrant>>;

export function createProvider(settings: OidcSettings, clock: Clock): Provider {
  const configuration = providerDescription(settings, clock);

  /** Many providers put only the id into the token. The library checks that both are about the same person. */
  async function claimsIn(config: client.Configuration, tokens: TokenReply, subject: string) {
    const claims: Claims = { ...tokens.claims() };
    const isComplete =
      claimAt(claims, settings.rolesClaim) !== undefined &&
      claims.name !== undefined &&
      claims.email !== undefined;
    if (isComplete || !config.serverMetadata().userinfo_endpoint) return claims;
    const more = await client.fetchUserInfo(config, tokens.access_token, subject);
    return { ...more, ...claims };
  }

  function signedIn(claims: Claims, { refresh_token, id_token }: TokenReply): SignedIn {
    const identity = identityFrom(claims, settings);
    return {
      identity,
      ...(identity.role === null && { whyNoRole: whyNoRole(claims, settings) }),
      tokens: { refreshToken: refresh_token, idToken: id_token },
    };
  }

  async function exchange(attempt: Attempt, callbackUrl: URL): Promise<SignedIn> {
    const config = await configuration();
    const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    const subject = String(tokens.claims()?.sub);
    return signedIn(await claimsIn(config, tokens, subject), tokens);
  }

  async function refresh(refreshToken: string, subject: string): Promise<SignedIn> {
    const config = await configuration();
    const tokens = await client.refreshTokenGrant(config, refreshToken);
    // Without an ID token, the user info says who it is.
    const claims: Claims = { sub: subject, ...(await claimsIn(config, tokens, subject)) };
    if (claims.sub !== subject) {
      throw new SignInRefused('expired', 'the refresh token is of another person');
    }
    const { tokens: renewed, ...rest } = signedIn(claims, tokens);
    // A provider that does not rotate refresh tokens sends none, and the old one stays valid.
    return {
      ...rest,
      tokens: { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken },
    };
  }

  return {
    issuer: settings.issuer,
    async signInUrl({ state, nonce, challenge }, { redirectUri, prompt }) {
      const config = await configuration().catch(refuse);
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(prompt && { prompt }),
      });
      return url.href;
    },
    identify: (attempt, callbackUrl) => exchange(attempt, callbackUrl).catch(refuse),
    identifyAgain: (refreshToken, subject) => refresh(refreshToken, subject).catch(refuse),
    async signOutUrl({ idToken, returnTo }) {
      if (!settings.signOutAtProvider) return undefined;
      const config = await configuration().catch(() => undefined);
      if (!config?.serverMetadata().end_session_endpoint) return undefined;
      const isHint = idToken !== undefined && idToken.length <= LONGEST_ID_TOKEN_HINT;
      const url = client.buildEndSessionUrl(config, {
        post_logout_redirect_uri: returnTo,
        ...(isHint && { id_token_hint: idToken }),
      });
      return url.href;
    },
  };
}

/** What the provider answers to `prompt=none` if it would have to show a page. */
const NEEDS_A_PAGE: readonly string[] = [
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
];

/**
 * What a failed exchange with the provider means for the person who signs in. The library's errors contain the provider's
 * answers, which the log must not have: only the words are kept.
 */
function refuse(error: unknown): never {
  if (error instanceof SignInRefused) throw error;
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  if (error instanceof ProviderUnreachable || cause instanceof ProviderUnreachable) {
    throw new SignInRefused('unreachable', reason);
  }
  if (error instanceof client.AuthorizationResponseError) {
    if (error.error === 'access_denied') throw new SignInRefused('cancelled', error.error);
    if (NEEDS_A_PAGE.includes(error.error)) throw new SignInRefused('signed_out', error.error);
    const isDown = error.error === 'temporarily_unavailable' || error.error === 'server_error';
    throw new SignInRefused(isDown ? 'unreachable' : 'failed', `${message}: ${error.error}`);
  }
  if (error instanceof client.ResponseBodyError) {
    const isUsed = error.error === 'invalid_grant';
    throw new SignInRefused(isUsed ? 'expired' : 'failed', `${message}: ${error.error}`);
  }
  throw new SignInRefused('failed', reason);
}
