/** What the console's tests set up through the support API. */
import { randomBytes } from 'node:crypto';
import type { TestBellhop } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';

/** A webhook is exhausted after two attempts, without a pause between them. */
export const GIVES_UP_AT_ONCE = {
  BELLHOP_PRODUCTION_RECEIVER_ALLOW: '127.0.0.0/8',
  BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
  BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1ms',
  BELLHOP_SANDBOX_RETRY_SCHEDULE: '1ms',
};

export interface Agency {
  partnerId: string;
  keyId: string;
  apiKey: string;
  midofficeId: string;
}

type Support = TestBellhop['support'];

const PRODUCTION = '/support/v1/production';

async function made(support: Support, path: string, body: object) {
  const reply = await support('POST', path, body);
  if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

export async function newToken(support: Support, role: string, name = `A ${role}`) {
  return (await made(support, '/support/v1/tokens', { name, role })).token as string;
}

/** A partner with a key and a midoffice at this URL. */
export async function newAgency(
  support: Support,
  url: string,
  { partner = 'Test partner', midoffice = 'Test midoffice' } = {},
): Promise<Agency> {
  const { id } = await made(support, `${PRODUCTION}/partners`, {
    name: partner,
    integration_started_on: '2025-11-01',
    is_new: false,
  });
  const key = await made(support, `${PRODUCTION}/partners/${id}/keys`, { label: 'live' });
  const { id: midofficeId } = await made(support, `${PRODUCTION}/midoffices`, {
    name: midoffice,
    url,
    signing_key_id: key.key_id,
  });
  await support('PATCH', `${PRODUCTION}/partners/${id}`, { midoffice_id: midofficeId });
  return { partnerId: id, keyId: key.key_id, apiKey: key.api_key, midofficeId };
}

/** Posts an event for each of these orders; returns the ids of their deliveries. */
export async function report(
  support: Support,
  { partnerId }: Pick<Agency, 'partnerId'>,
  orders: string[],
  more: object = {},
): Promise<string[]> {
  const events = orders.map((partner_order_id) => ({
    event_id: `event-${randomBytes(6).toString('hex')}`,
    type: 'updated',
    partner_id: partnerId,
    partner_order_id,
    ...more,
  }));
  const { results } = await made(support, '/orders/v1/production/events', { events });
  return results.map(({ delivery_id }: { delivery_id: string }) => delivery_id);
}

/** Resolves once every delivery of the midoffice is in this state. */
export async function allAre(
  support: Support,
  state: 'delivered' | 'exhausted',
  { midofficeId }: Pick<Agency, 'midofficeId'>,
): Promise<void> {
  const others = ['pending', 'delivered', 'exhausted', 'cancelled'].filter((one) => one !== state);
  const countOthers = async () => {
    const lists = others.map((other) =>
      support('GET', `${PRODUCTION}/deliveries?midoffice_id=${midofficeId}&state=${other}&limit=1`),
    );
    return (await Promise.all(lists)).flatMap(({ body }) => body.items).length;
  };
  await eventually(countOthers, (left) => left === 0);
}
