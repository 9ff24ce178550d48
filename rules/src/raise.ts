/** What counts as raising a limit. The server enforces it; the console asks for the approval up front. */

/** At most `requests_number` requests in any `seconds_number` seconds; any number if it is not limited. */
export interface Limit {
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
}

/**
 * Whether any caller could get more requests in than before. Counted over the old window: that many new
 * windows can start inside it, each of them full. So 30 a minute to 10 every 10 seconds is a raise too.
 * Whether the endpoint is active does not matter: otherwise deactivating it would be a way around.
 */
export function letsMoreThrough(before: Limit, after: Limit): boolean {
  if (!before.is_limited) return false;
  if (!after.is_limited) return true;
  const windowsInside = Math.ceil(before.seconds_number / after.seconds_number);
  return after.requests_number * windowsInside > before.requests_number;
}
