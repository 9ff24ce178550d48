/** What the headers of a reply say about a limit. */
export interface Limit {
  requests: number;
  spanMs: number;
}

export interface RateLimitState {
  limit: Limit;
  remaining: number;
  /** Time until the oldest counted call leaves the window, rounded up. */
  resetMs: number | undefined;
}

/** Undefined if the endpoint has no limit, or if the call was refused before the limit check. */
export function readRateLimit(headers: Headers): RateLimitState | undefined {
  const requests = number(headers, 'x-ratelimit-requestsnumber');
  const seconds = number(headers, 'x-ratelimit-secondsnumber');
  const remaining = number(headers, 'x-ratelimit-remaining');
  if (!(requests > 0) || !(seconds > 0) || !(remaining >= 0)) return undefined;
  // X-RateLimit-Reset is a time on the service's clock; this one is a duration.
  const reset = /;t=(\d{1,9})(?:;|$)/.exec(headers.get('ratelimit') ?? '')?.[1];
  return {
    limit: { requests, spanMs: seconds * 1_000 },
    remaining,
    resetMs: reset === undefined ? undefined : Number(reset) * 1_000,
  };
}

const DEFAULT_RETRY_AFTER_MS = 1_000;

export function readRetryAfterMs(headers: Headers): number {
  return parseRetryAfterMs(headers.get('retry-after')) ?? DEFAULT_RETRY_AFTER_MS;
}

/** Seconds, as the service writes it, or a date, as a proxy may write it. */
export function parseRetryAfterMs(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(atMs - Date.now(), 0);
}

function number(headers: Headers, name: string): number {
  return Number(headers.get(name) ?? Number.NaN);
}
