import { Ago } from '../../../../console/src/ui/text/Time.tsx';
import { words } from '../../words/words.ts';

/** `at` is the minute of the last call. */
export function LastUsed({ at }: { at: string | null }) {
  return at === null ? words.keys.never : <Ago at={at} />;
}
