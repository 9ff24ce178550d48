/** The provider's own description of itself, and how Bellhop proves to it which client it is. */
import * as client from 'openid-client';
import type { Clock } from '../../base/clock.ts';
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

/**
 * Calls to the provider, each with one deadline and a bounded reply. The operator chose the provider, so this
 * protects against faults rather than attacks: a provider that hangs must not hold up anyone.
 */
const PROVIDER_TIMEOUT_MS = 10_000;
export const LARGEST_PROVIDER_REPLY_BYTES = 262_144;

/** The provider did not answer, or answered that it is out of order. */
export class ProviderUnreachable extends Error {}

async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS);
    const reply = await fetch(url, { ...options, signal, redirect: 'manual' });
    const body = await readBounded(reply);
    if (reply.status >= 500) throw new Error(`it answered ${reply.status}`);
    const { status, headers } = reply;
    // A reply of these kinds cannot be created with a body, not even an empty one.
    const hasBody = status !== 204 && status !== 304;
    return new Response(hasBody ? body : null, { status, headers });
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    const { origin } = new URL(url);
    throw new ProviderUnreachable(`${origin}: ${cause?.message ?? message}`, { cause: error });
  }
}

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > LARGEST_PROVIDER_REPLY_BYTES) throw new Error('its reply is too large');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
