import type { Standing, Window } from '../limits/limiter.ts';

/** Rounded up: whoever waits until then is admitted. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(Math.ceil(ms / 1_000), 1);
}

/** As name, value, name, value …, which is how node:http takes headers fastest. */
export function rateLimitHeaders(window: Window, standing: Standing, nowMs: number): string[] {
  const { requests, seconds } = window;
  const resetSeconds = Math.ceil(standing.resetInMs / 1_000);
  const resetAtMs = Math.ceil((nowMs + standing.resetInMs) / 1_000) * 1_000;
  return [
    'X-RateLimit-RequestsNumber',
    String(requests),
    'X-RateLimit-SecondsNumber',
    String(seconds),
    'X-RateLimit-Remaining',
    String(standing.remaining),
    'X-RateLimit-Reset',
    new Date(resetAtMs).toISOString().slice(0, 19),
    'RateLimit-Policy',
    `"endpoint";q=${requests};w=${seconds}`,
    'RateLimit',
    `"endpoint";r=${standing.remaining};t=${resetSeconds}`,
  ];
}
