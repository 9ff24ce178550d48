/** The queries of one environment, each with the key that it is cached under. */
import type { Noted, SupportApi } from './support-api.ts';
import type {
  Activity,
  AuditEntry,
  Delivery,
  Environment,
  Key,
  Midoffice,
  Note,
  Page,
  Partner,
  Span,
  UsageStep,
} from './types.ts';
import type { QuerySource } from './use-live-query.ts';
import type { PageSource } from './use-pages.ts';

/** Records that can be picked by part of their name. */
export type NamedKind = 'partners' | 'midoffices';

export interface Named {
  id: string;
  name: string;
}

type Filters = Partial<Record<string, string>>;
type ReadPage<T> = (query: Filters, signal: AbortSignal) => Promise<Page<T>>;

/** The names read at once. Others are read one by one when they are shown. */
const NEWEST_NAMES = 200;
const NAMES_FRESH_MS = 60_000;
const FOUND_NAMES = 20;

export type Queries = ReturnType<typeof queriesOf>;

export function queriesOf(environment: Environment, api: SupportApi) {
  function one<T>(
    key: readonly unknown[],
    queryFn: (context: { signal: AbortSignal }) => Promise<T>,
  ): QuerySource<T> {
    return { queryKey: [environment, ...key], queryFn };
  }
  function pages<T>(name: string, filters: Filters, read: ReadPage<T>): PageSource<T> {
    return {
      queryKey: [environment, name, filters],
      readPage: (cursor, signal) => read({ ...filters, cursor }, signal),
    };
  }
  return {
    stats: (span: Span) => one(['stats', span], ({ signal }) => api.stats(span, signal)),
    search: (text: string) => one(['search', text], ({ signal }) => api.search(text, signal)),
    audit: (filters: Filters) => pages<AuditEntry>('audit', filters, api.audit),
    auditCount: (filters: Filters) =>
      one(['audit count', filters], ({ signal }) => api.auditCount(filters, signal)),
    notes: (kind: Noted, id: string): PageSource<Note> => ({
      queryKey: [environment, 'notes', kind, id],
      readPage: (cursor, signal) => api.notes.list(kind, id, { cursor }, signal),
    }),

    partners: (filters: Filters) => pages<Partner>('partners', filters, api.partners.list),
    partnersCount: (filters: Filters) =>
      one(['partners count', filters], ({ signal }) => api.partners.count(filters, signal)),
    onboarding: (id: string) =>
      one(['onboarding', id], ({ signal }) => api.partners.onboarding(id, signal)),
    activity: (id: string): PageSource<Activity> => ({
      queryKey: [environment, 'activity', id],
      readPage: (cursor, signal) => api.partners.activity(id, { cursor }, signal),
    }),
    partner: (id: string) => one(['partner', id], ({ signal }) => api.partners.get(id, signal)),

    partnerHistory: (id: string, step: UsageStep) =>
      one(['partner history', id, step], ({ signal }) => api.partners.history(id, step, signal)),

    keys: (filters: Filters) => pages<Key>('keys', filters, api.keys.list),
    keysCount: (filters: Filters) =>
      one(['keys count', filters], ({ signal }) => api.keys.count(filters, signal)),
    keysOf: (partnerId: string) =>
      one(['keys of', partnerId], ({ signal }) =>
        api.keys.list({ partner_id: partnerId, limit: 200 }, signal),
      ),
    newestKeys: () => one(['newest keys'], ({ signal }) => api.keys.list({ limit: 200 }, signal)),
    key: (id: string) => one(['key', id], ({ signal }) => api.keys.get(id, signal)),
    grants: (id: string) => one(['grants', id], ({ signal }) => api.keys.grants(id, signal)),
    usage: (id: string) => one(['usage', id], ({ signal }) => api.keys.usage(id, signal)),

    keyHistory: (id: string, step: UsageStep) =>
      one(['key history', id, step], ({ signal }) => api.keys.history(id, step, signal)),
    peaks: (id: string) => one(['peaks', id], ({ signal }) => api.keys.peaks(id, signal)),

    midoffices: (filters: Filters) => pages<Midoffice>('midoffices', filters, api.midoffices.list),
    midoffice: (id: string) =>
      one(['midoffice', id], ({ signal }) => api.midoffices.get(id, signal)),
    receiverCheck: (url: string) =>
      one(['receiver check', url], ({ signal }) => api.midoffices.checkReceiver(url, signal)),

    deliveries: (filters: Filters) => pages<Delivery>('deliveries', filters, api.deliveries.list),
    newestDeliveries: (of: { midoffice_id: string } | { partner_id: string }, limit: number) =>
      one(['newest deliveries', of, limit], ({ signal }) =>
        api.deliveries.list({ ...of, limit }, signal),
      ),
    delivery: (id: string) => one(['delivery', id], ({ signal }) => api.deliveries.get(id, signal)),

    /** The names of the newest, by id. */
    names: (kind: NamedKind): QuerySource<Map<string, string>> => ({
      ...one(['names', kind], async ({ signal }) => {
        const { items } = await api[kind].list({ limit: NEWEST_NAMES }, signal);
        return new Map(items.map(({ id, name }) => [id, name]));
      }),
      staleTime: NAMES_FRESH_MS,
    }),
    named: (kind: NamedKind, id: string): QuerySource<Named> =>
      one<Named>([kind === 'partners' ? 'partner' : 'midoffice', id], ({ signal }) =>
        api[kind].get(id, signal),
      ),
    /** Records whose name contains the text, newest first. */
    namesWith: (kind: NamedKind, text: string): QuerySource<Named[]> =>
      one<Named[]>(['names with', kind, text], async ({ signal }) => {
        const { items } = await api[kind].list({ name: text, limit: FOUND_NAMES }, signal);
        return items;
      }),
  };
}
