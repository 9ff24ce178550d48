/** The tour in TypeScript, with the types of openapi-typescript. Run by generated-clients.long.test.ts. */
import createClient from 'openapi-fetch';
import type { paths as BackOffice } from './back-office.ts';
import type { paths as Partner } from './partner.ts';

const { BACK_OFFICE, TOKEN, SANDBOX, PRODUCTION, RECEIVER = '' } = process.env;
const environment = 'sandbox';
const seen: Record<string, unknown> = {};

async function useBackOffice() {
  // Lists can also be read as CSV, which this client does not ask for.
  const client = createClient<BackOffice, 'application/json' | 'application/problem+json'>({
    baseUrl: BACK_OFFICE,
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const inSandbox = { params: { path: { environment } } } as const;
  const made = await client.POST('/support/v1/{environment}/partners', {
    ...inSandbox,
    body: { name: 'Acme Travel', integration_started_on: '2025-11-01', is_new: true },
  });
  const { id, name, certified_at } = expected(made.data);
  Object.assign(seen, { partner_id: id, name, certified_at });
  const ofPartner = { params: { path: { environment, id } } } as const;
  const created = await client.POST('/support/v1/{environment}/partners/{id}/keys', {
    ...ofPartner,
    body: { label: 'Booking engine' },
  });
  const key = expected(created.data);
  seen.label = key.label;
  const granted = await client.GET('/support/v1/{environment}/keys/{key_id}/endpoints', {
    params: { path: { environment, key_id: key.key_id } },
  });
  const grants = expected(granted.data);
  Object.assign(seen, { grants: grants.items.length, next_cursor: grants.next_cursor });
  const registered = await client.POST('/support/v1/{environment}/midoffices', {
    ...inSandbox,
    body: { name: 'Acme midoffice', url: RECEIVER, signing_key_id: key.key_id },
  });
  await client.PATCH('/support/v1/{environment}/partners/{id}', {
    ...ofPartner,
    body: { midoffice_id: expected(registered.data).id },
  });
  const reported = await client.POST('/orders/v1/{environment}/events', {
    ...inSandbox,
    body: { event_id: `evt-${id}`, type: 'created', partner_id: id, partner_order_id: 'BK-1' },
  });
  seen.outcome = expected(reported.data).results[0]?.outcome;
  const page = await client.GET('/support/v1/{environment}/deliveries', {
    params: { path: { environment }, query: { limit: 10, partner_id: id } },
  });
  seen.deliveries = expected(page.data).items.map((one) => [
    one.partner_order_id,
    one.state,
    one.agreement_number,
  ]);
  const refused = await client.GET('/support/v1/{environment}/partners/{id}', {
    params: { path: { environment, id: 'nobody' } },
  });
  seen.problem = refused.error?.code;
  return key;
}

async function usePartnerApi({ key_id, api_key }: { key_id: string; api_key: string }) {
  const authorization = `Basic ${btoa(`${key_id}:${api_key}`)}`;
  const clientAt = (baseUrl: string | undefined) =>
    createClient<Partner>({ baseUrl, headers: { authorization } });
  const overview = expected((await clientAt(SANDBOX).GET('/api/b2b/v3/overview/')).data);
  seen.overview = [overview.data.length, overview.debug, overview.error, overview.status];
  const echo = await clientAt(SANDBOX).POST('/api/b2b/v3/search/hp/', {
    body: { id: 'test_hotel' },
  });
  seen.forwarded = (echo.data as { data: { body: unknown } }).data.body;
  const { error: refused } = await clientAt(PRODUCTION).GET('/api/b2b/v3/overview/');
  seen.refused = typeof refused?.error === 'object' ? refused.error.code : refused?.error;
}

function expected<T>(data: T | undefined): T {
  if (data === undefined) throw new Error(`refused after ${JSON.stringify(seen)}`);
  return data;
}

await usePartnerApi(await useBackOffice());
console.log(JSON.stringify(seen));
