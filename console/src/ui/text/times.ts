/**
 * Formats dates and times in the chosen zone: the viewer's own, or UTC. Hovering shows the other one. They are in the
 * language of the pages, so they look the same in every browser: the month is a word, and a day has 24 hours.
 */
import { withMinutes } from '@bellhop/rules/minute-in-utc';
import { locale } from '../../words/language.ts';
import { chosenZone, type Zone } from './zone.ts';

const dayFields = { day: 'numeric', month: 'short' } as const;
const dateFields = { ...dayFields, year: 'numeric' } as const;
const clockFields = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const minuteFields = { ...dateFields, ...clockFields, timeZoneName: 'short' } as const;
const exactFields = { ...minuteFields, second: '2-digit' } as const;

/** Creating a format takes longer than formatting a hundred times, so both zones' formats are kept. */
const formats: Record<Zone, ReturnType<typeof formatsIn>> = {
  local: formatsIn(undefined),
  utc: formatsIn('UTC'),
};

function formatsIn(timeZone: 'UTC' | undefined) {
  const format = (fields: Intl.DateTimeFormatOptions) => {
    const { format } = new Intl.DateTimeFormat(locale, { ...fields, timeZone });
    return (iso: string) => format(new Date(iso));
  };
  return {
    exact: format(exactFields),
    minute: format(minuteFields),
    clock: format(clockFields),
    day: format(dayFields),
    date: format(dateFields),
  };
}

/** "31 Jan 2026, 13:00:00 CET". */
export function exactTime(iso: string): string {
  return formats[chosenZone()].exact(iso);
}

/** For hovering: the same time in UTC or, where UTC is shown, in the viewer's zone. */
export function otherTime(iso: string): string {
  return formats[chosenZone() === 'utc' ? 'local' : 'utc'].exact(iso);
}

/** "13:00". */
export function clockTime(iso: string): string {
  return formats[chosenZone()].clock(iso);
}

/** "31 Jan". */
export function dayOf(iso: string): string {
  return formats[chosenZone()].day(iso);
}

/** "31 Jan 2026". */
export function dateOf(iso: string): string {
  return formats[chosenZone()].date(iso);
}

/** A step of a history that counts by days in UTC: "31 Jan". */
export function utcDay(iso: string): string {
  return formats.utc.day(iso);
}

/** A calendar date such as 2025-10-01, which has no time zone. */
export function calendarDate(text: string): string {
  return formats.utc.date(`${text}T00:00:00Z`);
}

/** A sentence of the server has times in UTC. A page has one zone and one format only. */
export function inChosenZone(sentence: string): string {
  return withMinutes(sentence, formats[chosenZone()].minute);
}
