/** Formats times in the chosen zone: the viewer's own, or UTC. Hovering shows the other one. */
import { chosenZone, localZoneName, type Zone } from './zone.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const exactFields = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const;
const clockFields = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const dayFields = { month: 'short', day: 'numeric' } as const;
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Creating a format takes longer than formatting a hundred times, so both zones' formats are kept. */
const formats: Record<Zone, ReturnType<typeof formatsIn>> = {
  local: formatsIn(undefined),
  utc: formatsIn('UTC'),
};

function formatsIn(timeZone: 'UTC' | undefined) {
  return {
    exact: new Intl.DateTimeFormat(undefined, { ...exactFields, timeZone }),
    clock: new Intl.DateTimeFormat(undefined, { ...clockFields, timeZone }),
    day: new Intl.DateTimeFormat(undefined, { ...dayFields, timeZone }),
  };
}

export function exactTime(iso: string): string {
  const zone = chosenZone();
  return `${formats[zone].exact.format(new Date(iso))}${zone === 'utc' ? ' UTC' : ''}`;
}

/** For hovering: the same time in UTC or, where UTC is shown, in the viewer's zone. */
export function otherTime(iso: string): string {
  if (chosenZone() === 'local') return utcTime(iso);
  return `${formats.local.exact.format(new Date(iso))} ${localZoneName()}`;
}

export function utcTime(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

export function clockTime(iso: string): string {
  return formats[chosenZone()].clock.format(new Date(iso));
}

export function dayOf(iso: string): string {
  return formats[chosenZone()].day.format(new Date(iso));
}

/** A calendar date such as 2025-10-01, which has no time zone. */
export function calendarDate(text: string): string {
  return date.format(new Date(`${text}T00:00:00Z`));
}

/** The calendar date of now, in the chosen zone. */
export function today(): string {
  return localInput(new Date().toISOString()).slice(0, 10);
}

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

/** The window of a limit, after "per" or "in any", without rounding: "10 s", "minute", "90 s", "2 days". */
export function windowOf(seconds: number): string {
  if (seconds % DAY === 0) return seconds === DAY ? 'day' : `${seconds / DAY} days`;
  if (seconds % HOUR === 0) return seconds === HOUR ? 'hour' : `${seconds / HOUR} hours`;
  if (seconds % MINUTE === 0) return seconds === MINUTE ? 'minute' : `${seconds / MINUTE} min`;
  return seconds === 1 ? 'second' : `${seconds} s`;
}

export function durationOf(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** For `<input type="datetime-local">`, in the chosen zone. */
export function localInput(iso: string | null | undefined): string {
  if (!iso) return '';
  const at = new Date(iso);
  if (chosenZone() === 'utc') return at.toISOString().slice(0, 16);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

export function isoFromInput(text: string): string | undefined {
  if (!text) return undefined;
  const at = new Date(chosenZone() === 'utc' ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
