import type { Span } from '../../api/types.ts';
import { clockTime, dayOf } from '../../ui/text/times.ts';

/** When a bucket begins, as short as its span allows. */
export function momentOf(at: string, span: Span): string {
  return span === 'week' ? `${dayOf(at)}, ${clockTime(at)}` : clockTime(at);
}

/** "minute", "15 minutes", "2 hours". */
export function stepInWords(seconds: number): string {
  const minutes = seconds / 60;
  if (minutes === 1) return 'minute';
  return minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
}
