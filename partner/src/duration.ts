/** A time as people write it in options and settings: `500ms`, `10s`, `5m`, `12h`, `90d`. */

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A longer wait is a typing error. */
const LONGEST_MS = 366 * 86_400_000;

/** Milliseconds, or what the text must be instead: it completes a sentence that begins with the option's name. */
export function readDuration(text: string): number | { problem: string } {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (!match) {
    return { problem: `must be a time such as 500ms, 10s, 5m, 12h or 90d, not "${text}"` };
  }
  const ms = Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  return ms > LONGEST_MS ? { problem: `must be at most 366d, not "${text}"` } : ms;
}
