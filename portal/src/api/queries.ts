/** The queries of one environment. Each is cached under its operation and what that takes. */
import type { QueryOf, ReplyOf } from '@bellhop/support-client/portal-client';
import type { QuerySource } from '../../../console/src/api/use-live-query.ts';
import type { Page, PageSource } from '../../../console/src/api/use-pages.ts';
import type {
  EnvironmentCall,
  EnvironmentInput,
  EnvironmentOperation,
  TextQueryOf,
} from './client.ts';
import type { Environment, UsageStep } from './types.ts';

type ListOperation = {
  [Id in EnvironmentOperation]: 'cursor' extends keyof QueryOf<Id> ? Id : never;
}[EnvironmentOperation];
type ItemOf<Id extends ListOperation> =
  ReplyOf<Id> extends { items: (infer Item)[] } ? Item : never;

export type Queries = ReturnType<typeof queriesOf>;

export function queriesOf(environment: Environment, call: EnvironmentCall) {
  function one<Id extends EnvironmentOperation>(
    id: Id,
    input: EnvironmentInput<Id>,
  ): QuerySource<ReplyOf<Id>> {
    return {
      queryKey: [environment, id, input],
      queryFn: ({ signal }) => call(id, input, signal),
    };
  }
  function pages<Id extends ListOperation>(id: Id, query: TextQueryOf<Id>): PageSource<ItemOf<Id>> {
    return {
      // In pages, the same list is another entry of the cache.
      queryKey: [environment, 'pages', id, query],
      readPage: (cursor, signal) =>
        call(id, { query: { ...query, cursor } } as EnvironmentInput<Id>, signal) as Promise<
          Page<ItemOf<Id>>
        >,
    };
  }
  return {
    home: () => one('getHome', {}),
    keys: () => one('listKeys', { query: { limit: 200 } }),
    key: (key_id: string) => one('getKey', { key_id }),
    apiKeys: (key_id: string) => one('listApiKeys', { key_id }),
    limits: (key_id: string) => one('getLimits', { key_id }),
    history: (key_id: string, step: UsageStep) => one('getKeyHistory', { key_id, query: { step } }),
    limitTrial: (key_id: string, query: QueryOf<'tryLimit'>) => one('tryLimit', { key_id, query }),
    limitRequests: () => pages('listLimitRequests', {}),
    /** The key whose limit is used up now, or that was refused by one last. Which one it is does not change on the page. */
    keyInTrouble: (): QuerySource<{ key_id: string | null }> => ({
      queryKey: [environment, 'keyInTrouble'],
      queryFn: async ({ signal }) => {
        const { keys } = await call('getHome', {}, signal);
        const isFull = ({ remaining }: { remaining: number | null }) => remaining === 0;
        const full = keys.find(({ limits_in_use }) => limits_in_use.some(isFull));
        if (full) return { key_id: full.key.key_id };
        const query = { code: 'endpoint_exceeded_limit', limit: 1 } as const;
        const { items } = await call('listRefusals', { query }, signal);
        return { key_id: items[0]?.key_id ?? null };
      },
      staleTime: Infinity,
      gcTime: 0,
    }),
    refusals: (filters: TextQueryOf<'listRefusals'>) => pages('listRefusals', filters),
    refusalCodes: (query: TextQueryOf<'countRefusals'>) => one('countRefusals', { query }),
    midoffice: () => one('getMidoffice', {}),
    deliveries: (filters: TextQueryOf<'listDeliveries'>) => pages('listDeliveries', filters),
    delivery: (id: string) => one('getDelivery', { id }),
    case: (id: string) => one('getCase', { id }),
    contacts: () => one('getContacts', {}),
    notices: () => pages('listNotices', {}),
    activity: () => pages('listActivity', {}),
  };
}
