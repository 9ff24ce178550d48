import { Ago, useNow } from '../../../../console/src/ui/text/Time.tsx';
import { words } from '../../words/words.ts';

const HOUR_MS = 3_600_000;
const REFRESH_MS = 30_000;

/** Use is counted by the hour, so nobody knows the minute. `at` is when that hour began. */
export function LastUsed({ at }: { at: string | null }) {
  const now = useNow(REFRESH_MS);
  if (at === null) return words.keys.never;
  return now - Date.parse(at) < HOUR_MS ? words.keys.thisHour : <Ago at={at} />;
}
