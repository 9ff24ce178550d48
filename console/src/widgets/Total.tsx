/** How many records a list has. The server stops counting at a bound. */
import type { Count } from '../api/types.ts';
import { type QuerySource, useLiveQuery } from '../api/use-live-query.ts';
import { counted } from '../words/en/counted.ts';

const POLL_MS = 30_000;

interface Props {
  source: QuerySource<Count>;
  /** In singular. */
  what: string;
  /** In plural, if that has more than an s. */
  many?: string;
}

export function Total({ source, what, many }: Props) {
  const { data } = useLiveQuery(source, POLL_MS);
  if (!data) return <span>Counting…</span>;
  const { count, is_exact } = data;
  return (
    <span>
      {!is_exact && 'More than '}
      {counted(count, what, many)}
    </span>
  );
}
