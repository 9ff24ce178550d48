/** Formats durations, and times as the duration from now. The language has the forms of each unit. */
import { words } from '../../words/words.ts';
import { inDecimals } from './numbers.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const { now, ago, ahead, short, long, per } = words.durations;

/** "2 min ago", "in 30 s". */
export function relativeTime(iso: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  const span = spanOf(Math.abs(seconds));
  if (Math.abs(seconds) < 2) return now;
  return seconds < 0 ? ago(span) : ahead(span);
}

/** The largest unit only: "45 s", "3 min", "2 h", "5 d". */
export function spanOf(seconds: number): string {
  if (seconds < MINUTE) return short.seconds(seconds);
  if (seconds < HOUR) return short.minutes(Math.round(seconds / MINUTE));
  if (seconds < 2 * DAY) return short.hours(Math.round(seconds / HOUR));
  return short.days(Math.round(seconds / DAY));
}

/** The same for a sentence, rounded down: "45 seconds", "3 minutes", "2 hours", "1 day". */
export function spanInWords(seconds: number): string {
  if (seconds < MINUTE) return long.seconds(Math.floor(seconds));
  if (seconds < HOUR) return long.minutes(Math.floor(seconds / MINUTE));
  if (seconds < DAY) return long.hours(Math.floor(seconds / HOUR));
  return long.days(Math.floor(seconds / DAY));
}

/** The window of a limit or the step of a chart, after "per", without rounding: "10 s", "minute", "90 s", "2 days". */
export function windowOf(seconds: number): string {
  if (seconds % DAY === 0) return per.days(seconds / DAY);
  if (seconds % HOUR === 0) return per.hours(seconds / HOUR);
  if (seconds % MINUTE === 0) return per.minutes(seconds / MINUTE);
  return per.seconds(seconds);
}

/** How long something took: "7 ms", "1.23 s". */
export function durationOf(ms: number): string {
  return ms < 1_000 ? short.milliseconds(Math.round(ms)) : short.seconds(inDecimals(ms / 1_000));
}

/** How long something lasts that people choose, without rounding: "15 minutes", "1 hour", "90 days", "1 year". */
export function lastingOf(seconds: number): string {
  if (seconds % YEAR === 0) return long.years(seconds / YEAR);
  if (seconds % DAY === 0) return long.days(seconds / DAY);
  if (seconds % HOUR === 0) return long.hours(seconds / HOUR);
  if (seconds % MINUTE === 0) return long.minutes(seconds / MINUTE);
  return long.seconds(seconds);
}
