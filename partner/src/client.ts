import { parseRetryAfterMs } from './rate-limit.ts';

/** A typed client for `overview/` that can also call any other endpoint with the same credentials. */
export interface ClientOptions {
  /** The production or sandbox address, such as `https://api.example.com`. */
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

/** Every code that the service documents. */
export type PartnerApiErrorCode =
  | 'no_auth_header'
  | 'invalid_auth_header'
  | 'incorrect_credentials'
  | 'too_many_failed_logins'
  | 'api_access_disabled'
  | 'not_allowed_host'
  | 'endpoint_not_found'
  | 'endpoint_not_active'
  | 'too_many_calls_in_flight'
  | 'endpoint_exceeded_limit'
  | 'unexpected_method'
  | 'body_too_large'
  | 'upstream_not_configured'
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'malformed_request'
  | 'request_timeout'
  | 'headers_too_large'
  | 'unknown';

/** `unreadable_reply` comes from this client: the reply is not an envelope of the service. */
type KnownCode = PartnerApiErrorCode | 'unreadable_reply';

/** A call that the service refused. */
export class PartnerApiError extends Error {
  readonly status: number;
  /** The code in the envelope's `error`. Editors suggest the known codes; later versions may add others. */
  readonly code: KnownCode | (string & {});
  /** The service's explanation for people; not every service sends one. */
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
  /** Seconds to wait, if the service says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(response: Response, code: string, detail?: string) {
    super(`The service answered ${response.status}: ${code}.${detail ? ` ${detail}` : ''}`);
    this.name = 'PartnerApiError';
    this.status = response.status;
    this.code = code;
    this.detail = detail;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    const retryAfterMs = parseRetryAfterMs(response.headers.get('retry-after'));
    this.retryAfterSeconds = retryAfterMs === undefined ? undefined : retryAfterMs / 1_000;
  }
}

export interface Client {
  overview(signal?: AbortSignal): Promise<EndpointEntry[]>;
  /** Pass `endpoint` as the overview spells it. Resolves to the reply, whatever its status. */
  call(endpoint: string, init?: RequestInit): Promise<Response>;
}

export const OVERVIEW = 'api/b2b/v3/overview/';

export function createClient(options: ClientOptions): Client {
  for (const name of ['baseUrl', 'keyId', 'apiKey'] as const) {
    // Without TypeScript, a variable that is not set comes as undefined.
    if (!options[name]) throw new TypeError(`${name} is empty. Check where it is read from.`);
  }
  if (options.keyId.includes(':')) {
    throw new TypeError('keyId holds a colon, which ends it in HTTP Basic. It is digits only.');
  }
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
  const envelope = await readEnvelope(response);
  const { data, error } = envelope ?? {};
  if (response.ok && envelope?.status === 'ok' && Array.isArray(data) && data.every(isEntry)) {
    return data;
  }
  const { code, message } = readError(error);
  throw new PartnerApiError(response, code, message);
}

/** Services answer with an object, or with the bare code where they are set to. */
function readError(error: unknown): { code: string; message?: string } {
  if (typeof error === 'string') return { code: error };
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code !== 'string') return { code: 'unreadable_reply' };
  return typeof message === 'string' ? { code, message } : { code };
}

async function readEnvelope(response: Response): Promise<Record<string, unknown> | null> {
  const text = await response.text();
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' ? (parsed as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is EndpointEntry {
  const entry = (value ?? {}) as Partial<Record<keyof EndpointEntry, unknown>>;
  return (
    typeof entry.endpoint === 'string' &&
    typeof entry.is_active === 'boolean' &&
    typeof entry.is_debug_mode === 'boolean' &&
    typeof entry.is_limited === 'boolean' &&
    isCount(entry.requests_number) &&
    isCount(entry.seconds_number)
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Encodes as UTF-8 first, because `btoa` accepts only bytes. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
