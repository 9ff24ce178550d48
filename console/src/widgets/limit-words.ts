import type { Grant } from '../api/types.ts';
import { windowOf } from '../ui/text/durations.ts';
import { inDigits } from '../ui/text/numbers.ts';

type Limit = Pick<Grant, 'is_limited' | 'requests_number' | 'seconds_number'>;

/** "400 per minute", "10 per 90 s", "no limit". */
export function limitInWords({ is_limited, requests_number, seconds_number }: Limit): string {
  if (!is_limited) return 'no limit';
  return `${inDigits(requests_number)} per ${windowOf(seconds_number)}`;
}
