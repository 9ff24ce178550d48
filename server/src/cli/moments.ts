/**
 * Times as people type them and as commands show them. A time without a zone is in the zone of this machine, and a day
 * without a time is its beginning.
 */
import { isDate } from '../base/config/values.ts';

/** A day, a clock time, or both; only both can have a zone. */
const MOMENT =
  /^(?:(today|yesterday|\d{4}-\d\d-\d\d)$|(?:(today|yesterday|\d{4}-\d\d-\d\d)[T ])?(\d\d?:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?$)/;

/** What `readMoment` reads, for the sentence about a text that it does not. */
export const MOMENTS = '2026-01-31, 2026-01-31T12:00Z, 10:00 (today), yesterday';

export function readMoment(text: string, now = new Date()): Date | undefined {
  const found = MOMENT.exec(text);
  if (!found) return undefined;
  const [, dayAlone = 'today', day = dayAlone, clock = '00:00', zone = ''] = found;
  const date = dateOf(day, now);
  const isVague = zone !== '' && date !== day;
  const at = new Date(`${date}T${clock.replace(/^\d:/, '0$&')}${zone}`);
  return isVague || !isDate(date) || Number.isNaN(at.getTime()) ? undefined : at;
}

/** Of today or yesterday, here. */
function dateOf(day: string, now: Date): string {
  if (day !== 'today' && day !== 'yesterday') return day;
  const back = day === 'today' ? 0 : 1;
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  const parts = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** "2026-01-31 12:00:05Z"; the whole value is in the JSON. */
export function when(at: string | null, orElse = 'never'): string {
  return at === null ? orElse : `${at.slice(0, 19).replace('T', ' ')}Z`;
}
