import type { Standing, Window } from '../limiter/limiter.ts';

/** Rounded up, so that a caller that waits this long is admitted. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(Math.ceil(ms / 1_000), 1);
}

/** As name, value, name, value …, which is how node:http takes headers fastest. */
export function rateLimitHeaders(
  window: Window,
  standing: Pick<Standing, 'remaining' | 'resetInMs'>,
  nowMs: number,
): string[] {
  const { requests, seconds } = window;
  const resetSeconds = Math.ceil(standing.resetInMs / 1_000);
  const resetAt = Math.ceil((nowMs + standing.resetInMs) / 1_000);
  return [
    'X-RateLimit-RequestsNumber',
    String(requests),
    'X-RateLimit-SecondsNumber',
    String(seconds),
    'X-RateLimit-Remaining',
    String(standing.remaining),
    'X-RateLimit-Reset',
    utc(resetAt),
    'RateLimit-Policy',
    `"endpoint";q=${requests};w=${seconds}`,
    'RateLimit',
    `"endpoint";r=${standing.remaining};t=${resetSeconds}`,
  ];
}

const DAY_SECONDS = 86_400;
const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));
const dates = new Map<number, string>();

/** `2026-01-31T12:00:00` from Unix seconds. With a Date each, these headers took ten times as long. */
function utc(atSeconds: number): string {
  const day = Math.floor(atSeconds / DAY_SECONDS);
  let date = dates.get(day);
  if (date === undefined) {
    date = new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 11);
    if (dates.size >= 100) dates.clear();
    dates.set(day, date);
  }
  const second = atSeconds - day * DAY_SECONDS;
  const minute = Math.floor(second / 60);
  const hour = Math.floor(minute / 60);
  return `${date}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[second % 60]}`;
}
