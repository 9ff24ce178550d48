/** Times as people enter them, in the chosen zone: "2026-01-31T13:00", a date and a clock time. */
import { chosenZone } from './zone.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export function localInput(iso: string | null | undefined): string {
  if (!iso) return '';
  const at = new Date(iso);
  const offsetMs = chosenZone() === 'utc' ? 0 : at.getTimezoneOffset() * MINUTE_MS;
  return new Date(at.getTime() - offsetMs).toISOString().slice(0, 16);
}

export function isoFromInput(text: string): string | undefined {
  if (!text) return undefined;
  const at = new Date(chosenZone() === 'utc' ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The calendar date of now, in the chosen zone. */
export function today(): string {
  return localInput(new Date().toISOString()).slice(0, 10);
}

export function dayBefore(date: string): string {
  return new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10);
}

/** When a calendar date begins in the chosen zone. */
export function startOf(date: string): string {
  return isoFromInput(`${date}T00:00`) ?? '';
}

/** A clock time as it may be typed: "9", "905", "9:05", "9.05", "14:30". Undefined if it is none. */
export function clockFrom(text: string): string | undefined {
  const [, hour = '', minute = '00'] = /^\s*(\d\d?)(?:[:.h]?(\d\d))?\s*$/.exec(text) ?? [];
  if (hour === '' || Number(hour) > 23 || Number(minute) > 59) return undefined;
  return `${hour.padStart(2, '0')}:${minute}`;
}
