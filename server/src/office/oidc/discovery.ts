/** The provider's own description of itself, and how Bellhop proves to it which client it is. */
import * as client from 'openid-client';
import type { Clock } from '../../base/clock.ts';
import { boundedFetch, PROVIDER_TIMEOUT_MS } from './bounded-fetch.ts';
import type { OidcSettings } from './settings.ts';

/** How far the provider's clock may be from ours. */
export const CLOCK_TOLERANCE_SECONDS = 30;
/** The provider's own description is read again after this time. */
export const DISCOVERY_LIFE_MS = 3_600_000;

export function providerDescription(
  settings: OidcSettings,
  clock: Clock,
): () => Promise<client.Configuration> {
  return keptFor(DISCOVERY_LIFE_MS, clock, () => discover(settings));
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
