import type { Span } from '../../api/types.ts';
import { clockTime, dayOf } from '../text/times.ts';

/** When a bucket begins, as short as its span allows. */
export function momentOf(at: string, span: Span): string {
  return span === 'week' ? `${dayOf(at)}, ${clockTime(at)}` : clockTime(at);
}
