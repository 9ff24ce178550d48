import { callIn } from './client.ts';
import type { Environment } from './types.ts';
import type { QuerySource } from './use-live-query.ts';

/** Nobody waits longer for a first page than this; then it is that of the first environment. */
const LONGEST_WAIT_MS = 3_000;

/** The first environment that has a partner, without which there is nothing else; the first of all if none has one. */
export function startQuery(environments: readonly Environment[]): QuerySource<Environment | null> {
  const [first = null, ...others] = environments;
  async function find(signal: AbortSignal): Promise<Environment | null> {
    for (const environment of environments) {
      const query = { limit: 1 };
      const { items } = await callIn(environment)('listPartners', { query }, signal);
      if (items.length > 0) return environment;
    }
    return first;
  }
  return {
    queryKey: ['start', environments],
    async queryFn({ signal }) {
      if (others.length === 0) return first;
      const late = Promise.withResolvers<typeof first>();
      const timer = setTimeout(() => late.resolve(first), LONGEST_WAIT_MS);
      return Promise.race([find(signal), late.promise]).finally(() => clearTimeout(timer));
    },
    // Partners may be created before the next time.
    gcTime: 0,
  };
}
