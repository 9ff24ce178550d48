/** Formats durations, and times as the duration from now. */
import { counted } from './numbers.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** "2 min ago", "in 30 s". */
export function relativeTime(iso: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1_000);
  const span = spanOf(Math.abs(seconds));
  if (Math.abs(seconds) < 2) return 'now';
  return seconds < 0 ? `${span} ago` : `in ${span}`;
}

/** The largest unit only: "45 s", "3 min", "2 h", "5 d". */
export function spanOf(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.round(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `${Math.round(seconds / HOUR)} h`;
  return `${Math.round(seconds / DAY)} d`;
}

/** The same for a sentence, rounded down: "45 seconds", "3 minutes", "2 hours", "1 day". */
export function spanInWords(seconds: number): string {
  if (seconds < MINUTE) return counted(Math.floor(seconds), 'second');
  if (seconds < HOUR) return counted(Math.floor(seconds / MINUTE), 'minute');
  if (seconds < DAY) return counted(Math.floor(seconds / HOUR), 'hour');
  return counted(Math.floor(seconds / DAY), 'day');
}

/** The window of a limit or the step of a chart, after "per", without rounding: "10 s", "minute", "90 s", "2 days". */
export function windowOf(seconds: number): string {
  if (seconds % DAY === 0) return seconds === DAY ? 'day' : `${seconds / DAY} days`;
  if (seconds % HOUR === 0) return seconds === HOUR ? 'hour' : `${seconds / HOUR} hours`;
  if (seconds % MINUTE === 0) return seconds === MINUTE ? 'minute' : `${seconds / MINUTE} min`;
  return seconds === 1 ? 'second' : `${seconds} s`;
}

/** How long something took: "7 ms", "1.23 s". */
export function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** How long something lasts that people choose, without rounding: "15 minutes", "1 hour", "90 days", "1 year". */
export function lastingOf(seconds: number): string {
  if (seconds % YEAR === 0) return counted(seconds / YEAR, 'year');
  if (seconds % DAY === 0) return counted(seconds / DAY, 'day');
  if (seconds % HOUR === 0) return counted(seconds / HOUR, 'hour');
  if (seconds % MINUTE === 0) return counted(seconds / MINUTE, 'minute');
  return counted(seconds, 'second');
}
