/** The queries of one environment. Each is cached under its operation and what that takes. */
import type { QueryOf, ReplyOf } from '@bellhop/support-client/client';
import type { Judged } from '../../../portal/src/pages/home/verdict.ts';
import type {
  EnvironmentCall,
  EnvironmentInput,
  EnvironmentOperation,
  TextQueryOf,
} from './client.ts';
import { readPortalNow } from './portal-now.ts';
import type { Count, Environment, Key, Midoffice, Partner, Span, UsageStep } from './types.ts';
import type { QuerySource } from './use-live-query.ts';
import type { Page, PageSource } from './use-pages.ts';

/** Records that can be picked by part of their name. */
export type NamedKind = 'partners' | 'midoffices';
/** Also anything that the search finds. */
export type PickedKind = NamedKind | 'records';
export type Named = Pick<Partner, 'id' | 'name'>;

const listOf = { partners: 'listPartners', midoffices: 'listMidoffices' } as const;
const recordOf = { partners: 'getPartner', midoffices: 'getMidoffice' } as const;

/** The kinds of records that can have notes, with the operations for those. */
export const noteOperations = {
  partners: ['listPartnerNotes', 'addPartnerNote'],
  keys: ['listKeyNotes', 'addKeyNote'],
  midoffices: ['listMidofficeNotes', 'addMidofficeNote'],
  deliveries: ['listDeliveryNotes', 'addDeliveryNote'],
} as const;
export type Noted = keyof typeof noteOperations;

/** The id of the record, by the name that its path has for it. */
export function notedIn(kind: Noted, id: string) {
  return kind === 'keys' ? { key_id: id } : { id };
}

type ListOperation = {
  [Id in EnvironmentOperation]: 'cursor' extends keyof QueryOf<Id> ? Id : never;
}[EnvironmentOperation];
type ItemOf<Id extends ListOperation> =
  ReplyOf<Id> extends { items: (infer Item)[] } ? Item : never;

/** The calls of a key have an address of their own. */
type CallFilters = TextQueryOf<'listCalls'> & { key_id?: string };

export interface Beginnings {
  hasDelivery: boolean;
  partner: Partner | undefined;
  key: Key | undefined;
  midoffice: Pick<Midoffice, 'name' | 'health'> | undefined;
}

/** Rows of each page after the first. Nobody asks for more without a reason. */
const FURTHER = 200;
/** More deliveries than this are not counted for a list. */
const MOST_COUNTED = 10_000;

/** The names read at once. Others are read one by one when they are shown. */
const NEWEST_NAMES = 200;
const NAMES_FRESH_MS = 60_000;
const FOUND_NAMES = 20;

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
  function count<Id extends EnvironmentOperation>(id: Id, query: TextQueryOf<Id>) {
    return one(id, { query } as EnvironmentInput<Id>);
  }
  function pages<Id extends ListOperation>(
    id: Id,
    query: TextQueryOf<Id>,
    record: object = {},
  ): PageSource<ItemOf<Id>> {
    return {
      // In pages, the same list is another entry of the cache.
      queryKey: [environment, 'pages', id, { ...record, query }],
      readPage(cursor, signal) {
        const input = { ...record, query: { ...query, ...(cursor && { cursor, limit: FURTHER }) } };
        const reply: Promise<unknown> = call(id, input as EnvironmentInput<Id>, signal);
        return reply as Promise<Page<ItemOf<Id>>>;
      },
    };
  }
  return {
    /** Whether there is any delivery, and the newest partner, key and midoffice. */
    beginnings: (): QuerySource<Beginnings> => ({
      queryKey: [environment, 'beginnings'],
      queryFn: async ({ signal }) => {
        const query = { limit: 1 };
        const [deliveries, partners, keys, midoffices] = await Promise.all([
          call('listDeliveries', { query }, signal),
          call('listPartners', { query }, signal),
          call('listKeys', { query }, signal),
          call('listMidoffices', { query }, signal),
        ]);
        return {
          hasDelivery: deliveries.items.length > 0,
          partner: partners.items[0],
          key: keys.items[0],
          midoffice: midoffices.items[0],
        };
      },
    }),
    stats: (span: Span) => one('getStats', { query: { span } }),
    search: (q: string) => one('search', { query: { q } }),
    audit: (filters: TextQueryOf<'listAudit'>) => pages('listAudit', filters),
    auditCount: (filters: TextQueryOf<'countAudit'>) => count('countAudit', filters),
    notices: (filters: TextQueryOf<'listNotices'>) => pages('listNotices', filters),
    notes: (kind: Noted, id: string) => pages(noteOperations[kind][0], {}, notedIn(kind, id)),

    partners: (filters: TextQueryOf<'listPartners'>) => pages('listPartners', filters),
    partnersCount: (filters: TextQueryOf<'countPartners'>) => count('countPartners', filters),
    partnersOf: (midoffice_id: string, limit: number) =>
      one('listPartners', { query: { midoffice_id, limit, sort: 'name' } }),
    sandboxOffer: () => one('getSandboxOffer', {}),
    partner: (id: string) => one('getPartner', { id }),
    onboarding: (id: string) => one('getOnboarding', { id }),
    activity: (id: string) => pages('listActivity', {}, { id }),
    contacts: (id: string) => one('getContacts', { id }),
    portal: () => one('getPortal', {}),
    case: (id: string) => one('getCase', { id }),
    portalNow: (partner: Partner): QuerySource<Judged> => ({
      queryKey: [environment, 'portal now', partner.id, partner.midoffice_id],
      queryFn: ({ signal }) => readPortalNow(call, partner, signal),
    }),
    portalLinks: (id: string) => pages('listPortalLinks', {}, { id }),
    portalSessions: (id: string) => pages('listPortalSessions', {}, { id }),
    partnerHistory: (id: string, step: UsageStep) =>
      one('getPartnerHistory', { id, query: { step } }),

    keys: (filters: TextQueryOf<'listKeys'>) => pages('listKeys', filters),
    keysCount: (filters: TextQueryOf<'countKeys'>) => count('countKeys', filters),
    keysOf: (partner_id: string) => one('listKeys', { query: { partner_id, limit: 200 } }),
    newestKeys: () => one('listKeys', { query: { limit: 200 } }),
    key: (key_id: string) => one('getKey', { key_id }),
    apiKeys: (key_id: string) => one('listApiKeys', { key_id }),
    grants: (key_id: string) => one('listGrants', { key_id }),
    usage: (key_id: string) => one('getUsage', { key_id }),
    keyHistory: (key_id: string, step: UsageStep) =>
      one('getKeyHistory', { key_id, query: { step } }),
    peaks: (key_id: string) => one('getKeyPeaks', { key_id }),
    limitTrial: (key_id: string, query: QueryOf<'tryLimit'>) => one('tryLimit', { key_id, query }),
    limitRequests: (filters: TextQueryOf<'listLimitRequests'>) =>
      pages('listLimitRequests', filters),
    /** Some of those that wait for an answer. */
    openLimitRequests: () => one('listLimitRequests', { query: { state: 'open' } }),

    calls: ({ key_id, ...filters }: CallFilters) =>
      key_id === undefined
        ? pages('listCalls', filters)
        : pages('listKeyCalls', filters, { key_id }),
    newestCalls: (
      { key_id, partner_id }: { key_id?: string; partner_id?: string },
      limit: number,
    ) =>
      key_id === undefined
        ? one('listCalls', { query: { partner_id, limit } })
        : one('listKeyCalls', { key_id, query: { limit } }),

    midoffices: (filters: TextQueryOf<'listMidoffices'>) => pages('listMidoffices', filters),
    midofficesCount: (filters: TextQueryOf<'countMidoffices'>) => count('countMidoffices', filters),
    midoffice: (id: string) => one('getMidoffice', { id }),
    receiverCheck: (url: string) => one('checkReceiver', { body: { url } }),

    deliveries: (filters: TextQueryOf<'listDeliveries'>) => pages('listDeliveries', filters),
    deliveriesCount: (filters: TextQueryOf<'countDeliveries'>): QuerySource<Count> => ({
      queryKey: [environment, 'deliveries counted', filters],
      queryFn: async ({ signal }) => {
        const query = { ...filters, up_to: MOST_COUNTED } as QueryOf<'countDeliveries'>;
        const { count, has_more } = await call('countDeliveries', { query }, signal);
        return { count, is_exact: !has_more };
      },
    }),
    newestDeliveries: (of: { midoffice_id: string } | { partner_id: string }, limit: number) =>
      one('listDeliveries', { query: { ...of, limit } }),
    delivery: (id: string) => one('getDelivery', { id }),

    /** The names of the newest, by id. */
    names: (kind: NamedKind): QuerySource<Map<string, string>> => ({
      queryKey: [environment, 'names', kind],
      queryFn: async ({ signal }) => {
        const { items } = await call(listOf[kind], { query: { limit: NEWEST_NAMES } }, signal);
        return new Map(items.map(({ id, name }) => [id, name]));
      },
      staleTime: NAMES_FRESH_MS,
    }),
    named: (kind: NamedKind, id: string): QuerySource<Named> => one(recordOf[kind], { id }),
    /** Records whose name contains the text, newest first. */
    namesWith: (kind: PickedKind, text: string): QuerySource<{ items: Named[] }> => {
      if (kind !== 'records') {
        return one(listOf[kind], { query: { name: text || undefined, limit: FOUND_NAMES } });
      }
      return {
        queryKey: [environment, 'records with', text],
        queryFn: async ({ signal }) => {
          if (text === '') return { items: [] };
          const { items } = await call('search', { query: { q: text } }, signal);
          return { items: items.map(({ kind, id, title }) => ({ id, name: `${title}, ${kind}` })) };
        },
      };
    },
  };
}
