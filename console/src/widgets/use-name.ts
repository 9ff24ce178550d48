/** Names for the ids in lists. The newest are known at once; any other is read when it is shown. */
import { useQuery } from '@tanstack/react-query';
import type { NamedKind, PickedKind } from '../api/queries.ts';
import { useEnvironment } from '../app/environment.tsx';

const prefixes: Record<NamedKind, string> = { partners: 'par_', midoffices: 'mid_' };

/** Other records are shown by their id. */
function kindOf(id: string): NamedKind {
  return id.startsWith(prefixes.partners) ? 'partners' : 'midoffices';
}

/** The id itself until its name is known. */
export function useName(picked: PickedKind, id: string): string {
  const kind = picked === 'records' ? kindOf(id) : picked;
  const { queries } = useEnvironment();
  const newest = useQuery(queries.names(kind));
  const name = newest.data?.get(id);
  const isOlder = newest.isSuccess && name === undefined && id.startsWith(prefixes[kind]);
  const older = useQuery({ ...queries.named(kind, id), enabled: isOlder });
  return name ?? older.data?.name ?? id;
}
