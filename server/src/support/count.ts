/** How many records a list has. Counting stops at a bound, so that it is always quick. */
import { MOST_COUNTED } from '../store/records/count.ts';

export interface ShownCount {
  count: number;
  /** False if there are more than `count`. */
  is_exact: boolean;
}

/** `counted` may be more than the bound. */
export function showCount(counted: number): ShownCount {
  return { count: Math.min(counted, MOST_COUNTED), is_exact: counted <= MOST_COUNTED };
}
