import type { Grant } from './model.ts';

/**
 * Whether a changed limit lets more through, judged as the server judges it, so that the page can ask
 * for the approval before it is refused. Counted over the old window: that many new windows can begin
 * inside it, each full.
 */
export function letsMoreThrough(before: Grant, after: Grant): boolean {
  if (!before.is_limited) return false;
  if (!after.is_limited) return true;
  const windowsInside = Math.ceil(before.seconds_number / after.seconds_number);
  return after.requests_number * windowsInside > before.requests_number;
}
