import type { Source } from '../../../../console/src/widgets/sending/use-sending.ts';
import { useView } from '../../app/view.tsx';

/** How the portal reads what became of webhooks. */
export function useFollowing(): Pick<Source, 'read' | 'why'> {
  const { call } = useView();
  return {
    async read(ids) {
      const query = { ids: ids.join(), limit: ids.length };
      return (await call('listDeliveries', { query })).items;
    },
    why: async (id) => (await call('getDelivery', { id })).why,
  };
}
