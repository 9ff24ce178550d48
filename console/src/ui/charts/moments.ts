import type { Span } from '../../api/types.ts';
import { clockTime, dayOf, utcDay } from '../text/times.ts';

/** A step of a chart. */
export interface Moment {
  /** When it begins. */
  at: string;
}

/** `days`: each step is a day in UTC. */
export type ChartSpan = Span | 'days';

/** When a bucket begins, as short as its span allows. */
export function momentOf(at: string, span: ChartSpan): string {
  if (span === 'days') return utcDay(at);
  return span === 'week' ? `${dayOf(at)}, ${clockTime(at)}` : clockTime(at);
}

/** When a bucket ends that begins then. */
export function timeAfter(at: string, stepMs: number): string {
  return new Date(Date.parse(at) + stepMs).toISOString();
}
