/**
 * The typed client of the support API: everything the console can do, and nothing the API cannot.
 */
import { call, type Query, queryString, readCsv } from './client.ts';
import type {
  Activity,
  Attempt,
  AuditEntry,
  BulkChange,
  BulkChanged,
  Count,
  Delivery,
  DeliveryCount,
  DeliveryFilter,
  DeliveryWithAttempts,
  Environment,
  Found,
  Grant,
  GrantInput,
  GrantWithWarnings,
  Key,
  KeyChanges,
  KeyWithSecret,
  Midoffice,
  MidofficeChanges,
  NewMidoffice,
  NewPartner,
  NewToken,
  Note,
  Onboarding,
  Page,
  Partner,
  PartnerChanges,
  Person,
  ReceiverCertification,
  ReceiverCheck,
  Recovered,
  RecoveryInput,
  Rotation,
  SentPending,
  Session,
  SignInMethods,
  Span,
  Stats,
  Token,
  TokenWithSecret,
  Usage,
  UsageHistory,
  UsagePeak,
  UsageStep,
} from './types.ts';

export const session = {
  get: (signal?: AbortSignal) => call<Session>('GET', '/console/session', { signal }),
  signIn: (token: string) => call<Session>('POST', '/console/session', { body: { token } }),
  signOut: () => call<void>('DELETE', '/console/session'),
  signInMethods: (signal?: AbortSignal) =>
    call<SignInMethods>('GET', '/console/sign-in', { signal }),
};

/** All pages, of lists that rarely have more than one. */
async function wholeList<T>(path: string, signal?: AbortSignal): Promise<{ items: T[] }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await call<Page<T>>('GET', path, { query: { limit: 200, cursor }, signal });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { items };
}

export const people = {
  list: (signal?: AbortSignal) => wholeList<Person>('/support/v1/people', signal),
  endSessions: (id: string) =>
    call<void>('DELETE', `/support/v1/people/${encodeURIComponent(id)}/sessions`),
};

export const tokens = {
  csv: '/support/v1/tokens?format=csv',
  list: (signal?: AbortSignal) => wholeList<Token>('/support/v1/tokens', signal),
  create: (body: NewToken) => call<TokenWithSecret>('POST', '/support/v1/tokens', { body }),
  remove: (id: string) => call<void>('DELETE', '/support/v1/tokens', { query: { id } }),
};

/** The two OpenAPI documents; read by the documentation page. */
export const documents = {
  backOffice: (signal?: AbortSignal) => call<unknown>('GET', '/openapi.json', { signal }),
  partner: (signal?: AbortSignal) => call<unknown>('GET', '/openapi/partner.json', { signal }),
};

/** The kinds of records that can have notes, as in the address. */
export type Noted = 'partners' | 'keys' | 'midoffices' | 'deliveries';

export type SupportApi = ReturnType<typeof supportApi>;

export function supportApi(environment: Environment) {
  const base = `/support/v1/${environment}`;
  const at = (...segments: string[]) =>
    [base, ...segments.map((segment) => encodeURIComponent(segment))].join('/');

  return {
    stats: (span: Span, signal?: AbortSignal) =>
      call<Stats>('GET', at('stats'), { query: { span }, signal }),
    search: (q: string, signal?: AbortSignal) =>
      call<{ items: Found[] }>('GET', at('search'), { query: { q }, signal }),
    audit: (query: Query, signal?: AbortSignal) =>
      call<Page<AuditEntry>>('GET', at('audit'), { query, signal }),
    auditCount: (query: Query, signal?: AbortSignal) =>
      call<Count>('GET', at('audit', 'count'), { query, signal }),
    /** Where a list can be downloaded whole. A link cannot set `Accept`. */
    csvOf: (list: string | readonly string[], query: Query = {}) =>
      at(...[list].flat()) + queryString({ ...query, format: 'csv' }),
    notes: {
      list: (kind: Noted, id: string, query: Query = {}, signal?: AbortSignal) =>
        call<Page<Note>>('GET', at(kind, id, 'notes'), { query, signal }),
      add: (kind: Noted, id: string, text: string) =>
        call<Note>('POST', at(kind, id, 'notes'), { body: { text } }),
    },

    partners: {
      list: (query: Query = {}, signal?: AbortSignal) =>
        call<Page<Partner>>('GET', at('partners'), { query, signal }),
      count: (query: Query = {}, signal?: AbortSignal) =>
        call<Count>('GET', at('partners', 'count'), { query, signal }),
      onboarding: (id: string, signal?: AbortSignal) =>
        call<Onboarding>('GET', at('partners', id, 'onboarding'), { signal }),
      activity: (id: string, query: Query = {}, signal?: AbortSignal) =>
        call<Page<Activity>>('GET', at('partners', id, 'activity'), { query, signal }),
      get: (id: string, signal?: AbortSignal) =>
        call<Partner>('GET', at('partners', id), { signal }),
      create: (body: NewPartner) => call<Partner>('POST', at('partners'), { body }),
      update: (id: string, body: PartnerChanges) =>
        call<Partner>('PATCH', at('partners', id), { body }),
      certify: (id: string, reference: string) =>
        call<Partner>('POST', at('partners', id, 'certification'), { body: { reference } }),
      history: (id: string, step: UsageStep, signal?: AbortSignal) =>
        call<UsageHistory>('GET', at('partners', id, 'history'), { query: { step }, signal }),
      historyCsv: (id: string, step: UsageStep) => readCsv(at('partners', id, 'history'), { step }),
      createKey: (id: string, body: KeyChanges) =>
        call<KeyWithSecret>('POST', at('partners', id, 'keys'), { body }),
    },

    keys: {
      list: (query: Query = {}, signal?: AbortSignal) =>
        call<Page<Key>>('GET', at('keys'), { query, signal }),
      count: (query: Query = {}, signal?: AbortSignal) =>
        call<Count>('GET', at('keys', 'count'), { query, signal }),
      get: (id: string, signal?: AbortSignal) => call<Key>('GET', at('keys', id), { signal }),
      update: (id: string, body: KeyChanges) => call<Key>('PATCH', at('keys', id), { body }),
      revoke: (id: string, reason?: string) =>
        call<void>('DELETE', at('keys', id), { query: { reason } }),
      rotate: (id: string, body: Rotation) =>
        call<KeyWithSecret>('POST', at('keys', id, 'rotation'), { body }),
      grants: (id: string, signal?: AbortSignal) =>
        call<{ items: Grant[] }>('GET', at('keys', id, 'endpoints'), { signal }),
      usage: (id: string, signal?: AbortSignal) =>
        call<{ items: Usage[] }>('GET', at('keys', id, 'usage'), { signal }),
      history: (id: string, step: UsageStep, signal?: AbortSignal) =>
        call<UsageHistory>('GET', at('keys', id, 'history'), { query: { step }, signal }),
      historyCsv: (id: string, step: UsageStep) => readCsv(at('keys', id, 'history'), { step }),
      peaks: (id: string, signal?: AbortSignal) =>
        call<{ items: UsagePeak[] }>('GET', at('keys', id, 'peaks'), { signal }),
      grant: (id: string, body: GrantInput) =>
        call<GrantWithWarnings>('PUT', at('keys', id, 'endpoints'), { body }),
      withdraw: (id: string, endpoint: string) =>
        call<void>('DELETE', at('keys', id, 'endpoints'), { query: { endpoint } }),
    },

    midoffices: {
      list: (query: Query = {}, signal?: AbortSignal) =>
        call<Page<Midoffice>>('GET', at('midoffices'), { query, signal }),
      get: (id: string, signal?: AbortSignal) =>
        call<Midoffice>('GET', at('midoffices', id), { signal }),
      create: (body: NewMidoffice) => call<Midoffice>('POST', at('midoffices'), { body }),
      update: (id: string, body: MidofficeChanges) =>
        call<Midoffice>('PATCH', at('midoffices', id), { body }),
      sendTestEvent: (id: string) => call<Attempt>('POST', at('midoffices', id, 'test-event')),
      sendPending: (id: string) => call<SentPending>('POST', at('midoffices', id, 'send-pending')),
      certifyReceiver: (id: string) =>
        call<ReceiverCertification>('POST', at('midoffices', id, 'certify-receiver')),
      recover: (id: string, body: RecoveryInput, signal?: AbortSignal) =>
        call<Recovered>('POST', at('midoffices', id, 'recovery'), { body, signal }),
      checkReceiver: (url: string, signal?: AbortSignal) =>
        call<ReceiverCheck>('POST', at('receiver-check'), { body: { url }, signal }),
    },

    deliveries: {
      list: (query: Query = {}, signal?: AbortSignal) =>
        call<Page<Delivery>>('GET', at('deliveries'), { query, signal }),
      get: (id: string, signal?: AbortSignal) =>
        call<DeliveryWithAttempts>('GET', at('deliveries', id), { signal }),
      count: (filter: Omit<DeliveryFilter, 'ids'>, signal?: AbortSignal) =>
        call<DeliveryCount>('GET', at('deliveries', 'count'), { query: filter, signal }),
      change: (body: BulkChange) => call<BulkChanged>('POST', at('deliveries', 'bulk'), { body }),
      retry: (id: string) => call<Delivery>('POST', at('deliveries', id, 'retry')),
      cancel: (id: string, reason?: string) =>
        call<Delivery>('POST', at('deliveries', id, 'cancel'), { body: { reason } }),
    },
  };
}
