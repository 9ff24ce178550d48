import type { Grant } from '../api/types.ts';
import { windowOf } from '../ui/text/durations.ts';
import { inDigits } from '../ui/text/numbers.ts';
import { words } from '../words/words.ts';

type Limit = Pick<Grant, 'is_limited' | 'requests_number' | 'seconds_number'>;

/** "400 per minute", "10 per 90 s", "no limit". */
export function limitInWords({ is_limited, requests_number, seconds_number }: Limit): string {
  if (!is_limited) return words.limits.none;
  return words.limits.per(inDigits(requests_number), windowOf(seconds_number));
}

/** A limit that is asked for is one. */
export function asLimit({
  requests_number,
  seconds_number,
}: Pick<Limit, 'requests_number' | 'seconds_number'>): Limit {
  return { is_limited: true, requests_number, seconds_number };
}
