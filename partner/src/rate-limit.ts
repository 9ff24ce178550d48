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
  const requests = number(headers, 'x-ratelimit-requestsnumber', MOST_REQUESTS);
  const seconds = number(headers, 'x-ratelimit-secondsnumber', MOST_SECONDS);
  const remaining = number(headers, 'x-ratelimit-remaining', MOST_REQUESTS);
  if (!(requests > 0) || !(seconds > 0) || !(remaining <= requests)) return undefined;
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

/** The largest limit that the service can have. More is not believed: a pacer lists the calls of others. */
const MOST_REQUESTS = 1_000_000;
const MOST_SECONDS = 31 * 86_400;

/** NaN for anything but a whole number from 0 to `most`. */
function number(headers: Headers, name: string, most: number): number {
  const text = headers.get(name) ?? '';
  return /^\d{1,7}$/.test(text) && Number(text) <= most ? Number(text) : Number.NaN;
}
