import { callIn } from './client.ts';
import type { Environment } from './types.ts';
import type { QuerySource } from './use-live-query.ts';

/** The first environment that has a partner, without which there is nothing else; the first of all if none has one. */
export function startQuery(environments: readonly Environment[]): QuerySource<Environment | null> {
  return {
    queryKey: ['start', environments],
    async queryFn({ signal }) {
      const [first = null, ...others] = environments;
      if (others.length === 0) return first;
      for (const environment of environments) {
        const query = { limit: 1 };
        const { items } = await callIn(environment)('listPartners', { query }, signal);
        if (items.length > 0) return environment;
      }
      return first;
    },
    // Partners may be created before the next time.
    gcTime: 0,
  };
}
