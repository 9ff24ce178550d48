/**
 * Calls to the provider, each with one deadline and a bounded reply. The operator chose the provider, so this
 * protects against faults rather than attacks: a provider that hangs must not hold up anyone.
 */
export const PROVIDER_TIMEOUT_MS = 10_000;
export const LARGEST_PROVIDER_REPLY_BYTES = 262_144;

/** The provider did not answer, or answered that it is out of order. */
export class ProviderUnreachable extends Error {}

export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
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
