/**
 * The typed client of the support API: everything that the console can do, and nothing that the API
 * cannot. It signs in by the session cookie; the extra header is what other sites cannot send.
 */
import type {
  Attempt,
  AuditEntry,
  Delivery,
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
  Page,
  Partner,
  PartnerChanges,
  ReceiverCertification,
  ReceiverCheck,
  Recovered,
  RecoveryInput,
  Role,
  Session,
  Span,
  Stats,
  Token,
  TokenWithSecret,
  Usage,
} from './model.ts';
import { isLeftAlone } from './presence.ts';
import { Problem, problemFrom } from './problem.ts';

type Query = Record<string, string | number | undefined>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Call {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

let signedOut: () => void = () => {};

/** Called whenever the server no longer knows the session. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

async function call<T>(method: Method, path: string, { query, body, signal }: Call = {}) {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (method !== 'GET') headers['x-bellhop-console'] = '1';
  if (isLeftAlone()) headers['x-bellhop-background'] = '1';
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await reach(path + queryOf(query), {
    method,
    headers,
    credentials: 'same-origin',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  if (!response.ok) {
    const problem = await problemFrom(response);
    if (problem.status === 401 && path !== '/console/session') signedOut();
    throw problem;
  }
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Problem(0, 'unreachable', 'The server cannot be reached. Is the connection up?');
  }
}

function queryOf(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text && `?${text}`;
}

export const session = {
  get: () => call<Session>('GET', '/console/session'),
  signIn: (token: string) => call<Session>('POST', '/console/session', { body: { token } }),
  signOut: () => call<void>('DELETE', '/console/session'),
};

export const tokens = {
  /** All pages: there are rarely more tokens than one holds. */
  async list(): Promise<{ items: Token[] }> {
    const items: Token[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 200, cursor };
      const page = await call<Page<Token>>('GET', '/support/v1/tokens', { query });
      items.push(...page.items);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return { items };
  },
  create: (body: { name: string; role: Role }) =>
    call<TokenWithSecret>('POST', '/support/v1/tokens', { body }),
  remove: (id: string) => call<void>('DELETE', '/support/v1/tokens', { query: { id } }),
};

/** The two OpenAPI documents; read by the documentation page. */
export const documents = {
  backOffice: () => call<unknown>('GET', '/openapi.json'),
  partner: () => call<unknown>('GET', '/openapi/partner.json'),
};

export type Api = ReturnType<typeof supportApi>;

export function supportApi(environment: Environment) {
  const base = `/support/v1/${environment}`;
  const at = (...segments: string[]) =>
    [base, ...segments.map((segment) => encodeURIComponent(segment))].join('/');

  return {
    stats: (span: Span) => call<Stats>('GET', at('stats'), { query: { span } }),
    search: (q: string, signal?: AbortSignal) =>
      call<{ items: Found[] }>('GET', at('search'), { query: { q }, signal }),
    audit: (query: Query) => call<Page<AuditEntry>>('GET', at('audit'), { query }),

    partners: {
      list: (query: Query = {}) => call<Page<Partner>>('GET', at('partners'), { query }),
      get: (id: string) => call<Partner>('GET', at('partners', id)),
      create: (body: NewPartner) => call<Partner>('POST', at('partners'), { body }),
      update: (id: string, body: PartnerChanges) =>
        call<Partner>('PATCH', at('partners', id), { body }),
      certify: (id: string, reference: string) =>
        call<Partner>('POST', at('partners', id, 'certification'), { body: { reference } }),
      createKey: (id: string, body: KeyChanges) =>
        call<KeyWithSecret>('POST', at('partners', id, 'keys'), { body }),
    },

    keys: {
      list: (query: Query = {}) => call<Page<Key>>('GET', at('keys'), { query }),
      get: (id: string) => call<Key>('GET', at('keys', id)),
      update: (id: string, body: KeyChanges) => call<Key>('PATCH', at('keys', id), { body }),
      revoke: (id: string) => call<void>('DELETE', at('keys', id)),
      rotate: (id: string, overlapSeconds: number) =>
        call<KeyWithSecret>('POST', at('keys', id, 'rotation'), {
          body: { overlap_seconds: overlapSeconds },
        }),
      grants: (id: string) => call<{ items: Grant[] }>('GET', at('keys', id, 'endpoints')),
      usage: (id: string) => call<{ items: Usage[] }>('GET', at('keys', id, 'usage')),
      grant: (id: string, body: GrantInput) =>
        call<GrantWithWarnings>('PUT', at('keys', id, 'endpoints'), { body }),
      withdraw: (id: string, endpoint: string) =>
        call<void>('DELETE', at('keys', id, 'endpoints'), { query: { endpoint } }),
    },

    midoffices: {
      list: (query: Query = {}) => call<Page<Midoffice>>('GET', at('midoffices'), { query }),
      get: (id: string) => call<Midoffice>('GET', at('midoffices', id)),
      create: (body: NewMidoffice) => call<Midoffice>('POST', at('midoffices'), { body }),
      update: (id: string, body: MidofficeChanges) =>
        call<Midoffice>('PATCH', at('midoffices', id), { body }),
      sendTestEvent: (id: string) => call<Attempt>('POST', at('midoffices', id, 'test-event')),
      certifyReceiver: (id: string) =>
        call<ReceiverCertification>('POST', at('midoffices', id, 'certify-receiver')),
      recover: (id: string, body: RecoveryInput) =>
        call<Recovered>('POST', at('midoffices', id, 'recovery'), { body }),
      checkReceiver: (url: string, signal?: AbortSignal) =>
        call<ReceiverCheck>('POST', at('receiver-check'), { body: { url }, signal }),
    },

    deliveries: {
      list: (query: Query = {}) => call<Page<Delivery>>('GET', at('deliveries'), { query }),
      get: (id: string) => call<DeliveryWithAttempts>('GET', at('deliveries', id)),
      retry: (id: string) => call<Delivery>('POST', at('deliveries', id, 'retry')),
      cancel: (id: string) => call<Delivery>('POST', at('deliveries', id, 'cancel')),
    },
  };
}
