/** A partner whose people use the portal: keys that were used and refused, and webhooks that came and that did not. */
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  type Agency,
  allAre,
  GIVES_UP_AT_ONCE,
  newAgency,
  report,
} from '../../console/e2e/agency.ts';
import type { SharedBellhop } from '../../server/e2e/one-bellhop-per-file.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { signedInBrowser } from '../../server/testing/portal-browser.ts';
import {
  startReceiver,
  status,
  type WebhookReceiver,
} from '../../server/testing/webhook-receiver.ts';

export const PORTAL_SETTINGS = {
  ...GIVES_UP_AT_ONCE,
  BELLHOP_PRODUCTION_PORTAL_KEY_SCOPES: 'read,redeliver,receiver,keys',
};

/** Addresses for documentation, which nobody has. */
export const FOREIGN_ADDRESS = '198.51.100.7';

export interface PortalPartner extends Agency {
  /** As the portal has it. */
  exhaustedId: string;
  receiver: WebhookReceiver;
}

/** The Bellhop must run with `PORTAL_SETTINGS`. */
export function portalPartner(bellhop: SharedBellhop): () => PortalPartner {
  let receiver: WebhookReceiver;
  let partner: PortalPartner;
  beforeAll(async () => {
    receiver = await startReceiver(status(200), { atEnd: () => {} });
    const agency = await newAgency(bellhop.support, receiver.url, { partner: 'Fernweh Reisen' });
    await report(bellhop.support, agency, ['OK-1', 'OK-2']);
    await allAre(bellhop.support, 'delivered', agency);
    receiver.answer = status(500, '{"error":"database is down"}');
    await report(bellhop.support, agency, ['BAD-1', 'BAD-2']);
    await receiver.came(6);
    const { get } = await signedInBrowser(bellhop, 'production', agency.partnerId);
    const exhaustedId = (await get('deliveries?partner_order_id=BAD-1')).body.items[0].id;
    partner = { ...agency, exhaustedId, receiver };
    await makeCalls(bellhop, partner);
  });
  afterAll(() => receiver?.close());
  return () => partner;
}

/** Uses a limit up, and is refused with 401, 403 and 429. */
async function makeCalls(bellhop: SharedBellhop, { keyId, apiKey }: Agency): Promise<void> {
  const call = async (path: string, { secret = apiKey, from = '127.0.0.1' } = {}) => {
    const reply = await fetch(`${bellhop.addresses.production}/api/b2b/v3/${path}`, {
      headers: {
        authorization: `Basic ${Buffer.from(`${keyId}:${secret}`).toString('base64')}`,
        'x-forwarded-for': from,
      },
    });
    await reply.text();
    return reply.status;
  };
  const key = `/support/v1/production/keys/${keyId}`;
  // For a day, so that it stays used up however long the tests take.
  await bellhop.support('PUT', `${key}/endpoints`, {
    endpoint: 'api/b2b/v3/search/hp/',
    is_active: true,
    is_debug_mode: false,
    is_limited: true,
    requests_number: 10,
    seconds_number: 86_400,
  });
  for (let made = 0; made < 11; made++) await call('search/hp/');
  expect(await call('search/hp/')).toBe(429);
  expect(await call('overview/', { secret: 'not the API key', from: FOREIGN_ADDRESS })).toBe(401);
  await bellhop.support('PATCH', key, { allowed_ips: ['127.0.0.1'] });
  await eventually(
    () => call('overview/', { from: FOREIGN_ADDRESS }),
    (got) => got === 403,
  );
  await eventually(
    async () => (await bellhop.support('GET', `${key}/calls?code=not_allowed_host`)).body.items,
    (items) => items.length > 0,
  );
}

export const withKey =
  ({ keyId, apiKey }: Pick<Agency, 'keyId' | 'apiKey'>) =>
  async (context: BrowserContext): Promise<void> => {
    const reply = await context.request.post('/portal/v1/production/session', {
      data: { key_id: keyId, api_key: apiKey },
      headers: { 'x-bellhop-portal': '1' },
    });
    expect(reply.status()).toBe(200);
  };
