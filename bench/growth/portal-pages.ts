/** What each page of the partners' portal requests, for a partner with as many deliveries as the others have. */
import { type Bellhop, support } from '../bellhop.ts';
import { openPortal } from '../portal-visit.ts';
import { STOCKED } from './fill.ts';
import type { Page } from './pages.ts';

export async function portalPages(bellhop: Bellhop, midoffice: string): Promise<Page[]> {
  const { partner, order } = STOCKED;
  await support(bellhop, 'PATCH', `/partners/${partner}`, { midoffice_id: midoffice });
  const key = await support<{ key_id: string }>(bellhop, 'POST', `/partners/${partner}/keys`, {});
  const { items } = await support<{ items: { id: string }[] }>(
    bellhop,
    'GET',
    `/deliveries?partner_id=${partner}&limit=1`,
  );
  const cookie = await openPortal(bellhop, partner);
  const page = (name: string, path: string): Page => ({ name: `portal: ${name}`, path, cookie });
  const ofKey = `/keys/${key.key_id}`;
  return [
    page('who is signed in', '/me'),
    page('home', '/home'),
    page('receiver', '/midoffice'),
    page('count of exhausted webhooks', '/deliveries/count?only=unacknowledged'),
    page('keys', '/keys?limit=200'),
    page('key', ofKey),
    page('key: API keys in force', `${ofKey}/api-keys`),
    page('limits: limits of a key', `${ofKey}/limits`),
    page('limits: usage by hour', `${ofKey}/history?step=hour`),
    page('refused calls', '/refusals?limit=50'),
    page('refused calls: with a code', '/refusals?code=endpoint_exceeded_limit'),
    page('refused calls: of a key', `/refusals?key_id=${key.key_id}`),
    page('webhooks', '/deliveries'),
    ...['pending', 'delivered', 'exhausted', 'cancelled', 'unrouted'].map((state) =>
      page(`webhooks: ${state}`, `/deliveries?state=${state}`),
    ),
    page('webhooks: of an order', `/deliveries?partner_order_id=${order}`),
    page('webhook', `/deliveries/${items[0]?.id}`),
    {
      ...page('webhooks: count what can be sent again', '/midoffice/recovery'),
      body: { since: new Date(Date.now() - 86_400_000).toISOString(), dry_run: true },
    },
    page('contacts', '/contacts'),
    page('notices', '/notices'),
    page('activity', '/activity'),
  ];
}
