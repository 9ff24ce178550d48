/** How many records a list has. The server stops counting at a bound. */
import type { Count } from '../api/types.ts';
import { type QuerySource, useLiveQuery } from '../api/use-live-query.ts';
import { inDigits } from '../ui/text/numbers.ts';

const POLL_MS = 30_000;

interface Props {
  source: QuerySource<Count>;
  /** In singular; the plural has an s. */
  what: string;
}

export function Total({ source, what }: Props) {
  const { data } = useLiveQuery(source, POLL_MS);
  if (!data) return <span>Counting…</span>;
  const { count, is_exact } = data;
  return (
    <span>
      {inDigits(count)}
      {!is_exact && '+'} {count === 1 && is_exact ? what : `${what}s`}
    </span>
  );
}
