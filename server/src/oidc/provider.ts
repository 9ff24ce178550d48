/**
 * The provider that signs people in, through the authorization code flow with PKCE. The library checks the
 * provider's answers: state, nonce, issuer, audience, times, and the signature of the ID token with an asymmetric
 * algorithm. It caches the provider's keys, and reads them again when a token names an unknown one.
 */
import * as client from 'openid-client';
import type { Clock } from '../clock.ts';
import type { Identity } from '../resources/people/people.ts';
import type { Attempt } from './attempt.ts';
import { boundedFetch, PROVIDER_TIMEOUT_MS, ProviderUnreachable } from './bounded-fetch.ts';
import { type Claims, claimAt, identityFrom } from './identity.ts';
import { SignInRefused } from './refusal.ts';
import type { OidcSettings } from './settings.ts';

/** How far the provider's clock may be from ours. */
export const CLOCK_TOLERANCE_SECONDS = 30;
/** The provider's own description is read again after this time. */
export const DISCOVERY_LIFE_MS = 3_600_000;

export interface Provider {
  readonly issuer: string;
  /** Where the browser goes to sign in. `again` asks the provider for the credentials even if it knows the person. */
  signInUrl(attempt: Attempt, options: { redirectUri: string; again: boolean }): Promise<string>;
  /** Who came back from there. Rejects with `SignInRefused`. */
  identify(attempt: Attempt, callbackUrl: URL): Promise<Identity>;
}

export function createProvider(settings: OidcSettings, clock: Clock): Provider {
  const configuration = keptFor(DISCOVERY_LIFE_MS, clock, () => discover(settings));

  async function claimsOf(attempt: Attempt, callbackUrl: URL): Promise<Claims> {
    const config = await configuration();
    const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    const claims: Claims = { ...tokens.claims() };
    const isComplete =
      claimAt(claims, settings.rolesClaim) !== undefined &&
      claims.name !== undefined &&
      claims.email !== undefined;
    if (isComplete || !config.serverMetadata().userinfo_endpoint) return claims;
    // Many providers put only the id into the token. The library checks that both are about the same person.
    const more = await client.fetchUserInfo(config, tokens.access_token, String(claims.sub));
    return { ...more, ...claims };
  }

  return {
    issuer: settings.issuer,
    async signInUrl({ state, nonce, challenge }, { redirectUri, again }) {
      const config = await configuration().catch(refuse);
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(again && { prompt: 'login' }),
      });
      return url.href;
    },
    async identify(attempt, callbackUrl) {
      const claims = await claimsOf(attempt, callbackUrl).catch(refuse);
      return identityFrom(claims, settings);
    },
  };
}

async function discover({
  issuer,
  clientId,
  clientSecret,
}: OidcSettings): Promise<client.Configuration> {
  const server = new URL(issuer);
  const isPlain = server.protocol === 'http:';
  return client.discovery(
    server,
    clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    clientSecret === undefined ? client.None() : withSecret(clientSecret),
    {
      [client.customFetch]: boundedFetch as client.CustomFetch,
      timeout: PROVIDER_TIMEOUT_MS / 1_000,
      execute: [
        // Without this, the library trusts TLS alone and does not check the signature of the ID token.
        client.enableNonRepudiationChecks,
        // The setting allows http for this machine only.
        ...(isPlain ? [client.allowInsecureRequests] : []),
      ],
    },
  );
}

/** In the header, which every provider must support unless it says otherwise. */
function withSecret(secret: string): client.ClientAuth {
  const inHeader = client.ClientSecretBasic(secret);
  const inBody = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInBody =
      !supported.includes('client_secret_basic') && supported.includes('client_secret_post');
    (isInBody ? inBody : inHeader)(server, ...rest);
  };
}

/** Reads once for everyone who asks at the same time. If it cannot be read again, the old value is kept. */
function keptFor<T>(lifeMs: number, clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let known: { value: T; atMs: number } | undefined;
  let reading: Promise<T> | undefined;

  async function readOnce(): Promise<T> {
    try {
      const value = await read();
      known = { value, atMs: clock.monotonic() };
      return value;
    } finally {
      reading = undefined;
    }
  }

  return () => {
    if (known && clock.monotonic() - known.atMs < lifeMs) return Promise.resolve(known.value);
    reading ??= readOnce();
    const old = known;
    return old ? reading.catch(() => old.value) : reading;
  };
}

/** The library's errors contain the provider's answers, which the log must not have: only the words are kept. */
function refuse(error: unknown): never {
  if (error instanceof SignInRefused) throw error;
  const { message, cause } = error as Error;
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  if (error instanceof ProviderUnreachable || cause instanceof ProviderUnreachable) {
    throw new SignInRefused('unreachable', reason);
  }
  if (error instanceof client.AuthorizationResponseError) {
    if (error.error === 'access_denied') throw new SignInRefused('cancelled', error.error);
    const isDown = error.error === 'temporarily_unavailable' || error.error === 'server_error';
    throw new SignInRefused(isDown ? 'unreachable' : 'failed', `${message}: ${error.error}`);
  }
  if (error instanceof client.ResponseBodyError) {
    const isUsed = error.error === 'invalid_grant';
    throw new SignInRefused(isUsed ? 'expired' : 'failed', `${message}: ${error.error}`);
  }
  throw new SignInRefused('failed', reason);
}
