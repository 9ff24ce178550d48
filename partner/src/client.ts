/** A typed client for `overview/`, and a way to call any other endpoint with the same sign-in. */
export interface ClientOptions {
  /** The production or the sandbox address, such as `https://api.example.com`. */
  baseUrl: string;
  keyId: string;
  apiKey: string;
  fetch?: typeof fetch;
}

/** One entry of the overview: what the key may call, and how often. */
export interface EndpointEntry {
  endpoint: string;
  is_active: boolean;
  is_debug_mode: boolean;
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
}

/** A call that the service refused; `code` is the envelope's `error`. */
export class PartnerApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** Seconds to wait, where the service says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(response: Response, code: string) {
    super(`The service answered ${response.status}: ${code}.`);
    this.name = 'PartnerApiError';
    this.status = response.status;
    this.code = code;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  }
}

export interface Client {
  overview(signal?: AbortSignal): Promise<EndpointEntry[]>;
  /** `endpoint` as the overview spells it; the reply as it came, whatever its status. */
  call(endpoint: string, init?: RequestInit): Promise<Response>;
}

export const OVERVIEW = 'api/b2b/v3/overview/';

export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch;
  const base = `${options.baseUrl.replace(/\/+$/, '')}/`;
  const authorization = `Basic ${base64(`${options.keyId}:${options.apiKey}`)}`;

  function call(endpoint: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', authorization);
    return send(base + endpoint.replace(/^\/+/, ''), { ...init, headers });
  }

  return {
    call,
    async overview(signal) {
      const response = await call(OVERVIEW, signal ? { signal } : {});
      return readOverview(response);
    },
  };
}

/** Throws a PartnerApiError for anything but a success. */
export async function readOverview(response: Response): Promise<EndpointEntry[]> {
  let envelope: { data?: unknown; error?: unknown; status?: unknown };
  try {
    envelope = (await response.json()) as typeof envelope;
  } catch {
    throw new PartnerApiError(response, 'unreadable_reply');
  }
  if (!response.ok || envelope.status !== 'ok' || !Array.isArray(envelope.data)) {
    const code = typeof envelope.error === 'string' ? envelope.error : 'unreadable_reply';
    throw new PartnerApiError(response, code);
  }
  return envelope.data as EndpointEntry[];
}

/** UTF-8 first: `btoa` takes bytes only. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
