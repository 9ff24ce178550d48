import type { Span } from '../../api/types.ts';
import { clockTime, dayOf } from '../text/times.ts';

/** A step of a chart. */
export interface Moment {
  /** When it begins. */
  at: string;
}

/** `days`: each step is a day in UTC. */
export type ChartSpan = Span | 'days';

const utcDay = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

/** When a bucket begins, as short as its span allows. */
export function momentOf(at: string, span: ChartSpan): string {
  if (span === 'days') return utcDay.format(new Date(at));
  return span === 'week' ? `${dayOf(at)}, ${clockTime(at)}` : clockTime(at);
}

/** "minute", "15 minutes", "2 hours". */
export function stepInWords(seconds: number): string {
  const minutes = seconds / 60;
  if (minutes === 1) return 'minute';
  return minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
}
