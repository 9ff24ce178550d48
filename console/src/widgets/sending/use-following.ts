import { useEnvironment } from '../../app/environment.tsx';
import type { Source } from './use-sending.ts';

/** How the console reads what became of deliveries. */
export function useFollowing(): Pick<Source, 'read' | 'why'> {
  const { call } = useEnvironment();
  return {
    async read(ids) {
      const query = { ids: ids.join(), limit: ids.length };
      return (await call('listDeliveries', { query })).items;
    },
    why: async (id) => (await call('getDelivery', { id })).why,
  };
}
