/** Spans of time that lists are filtered by. They end now, so a saved view or a link stays what its name says. */
import { words } from '../../words/words.ts';
import { dayBefore, startOf, today } from '../text/time-input.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type NamedSpan = keyof typeof words.times.spans;

export interface TimeSpan {
  since?: string;
  until?: string;
}

export function isNamedSpan(name: string | undefined): name is NamedSpan {
  return name !== undefined && Object.hasOwn(words.times.spans, name);
}

/** Days begin at midnight in the chosen zone. */
export function timesOf(span: NamedSpan, nowMs: number): TimeSpan {
  const last = (ms: number) => ({ since: new Date(nowMs - ms).toISOString() });
  switch (span) {
    case 'hour':
      return last(HOUR_MS);
    case 'day':
      return last(DAY_MS);
    case 'week':
      return last(7 * DAY_MS);
    case 'month':
      return last(30 * DAY_MS);
    case 'today':
      return { since: startOf(today()) };
    case 'yesterday':
      return { since: startOf(dayBefore(today())), until: startOf(today()) };
  }
}
