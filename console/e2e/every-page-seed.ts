/** What the pages show when every one of them is opened. */
import { expect } from 'vitest';
import { basic, type TestBellhop } from '../../server/testing/bellhop.ts';
import { eventually } from '../../server/testing/eventually.ts';
import { status, type WebhookReceiver } from '../../server/testing/webhook-receiver.ts';
import { allAre, newAgency, newToken, report } from './agency.ts';
import type { Seed } from './every-page.ts';

type Seeded = Pick<TestBellhop, 'support' | 'addresses'>;

const base = '/support/v1/production';

/** Two deliveries that arrived, and one that did not, with this text in every field that takes it. */
export async function seedWith(
  { support }: Seeded,
  receiver: WebhookReceiver,
  hostile: string,
): Promise<Seed> {
  const names = { partner: hostile, midoffice: hostile };
  const agency = await newAgency(support, receiver.url, names);
  await newToken(support, 'support', hostile);
  const { partnerId, keyId, midofficeId } = agency;
  const limit = {
    endpoint: 'api/b2b/v3/search/hp/',
    requests_number: 99,
    approval_reference: hostile,
  };
  const calls: [method: string, path: string, body: object, status: number][] = [
    ['PATCH', `keys/${keyId}`, { label: hostile }, 200],
    ['POST', `partners/${partnerId}/certification`, { reference: hostile }, 200],
    ['PUT', `keys/${keyId}/endpoints`, limit, 200],
    ['POST', `partners/${partnerId}/notes`, { text: hostile }, 201],
    ['POST', `keys/${keyId}/notes`, { text: hostile }, 201],
    ['POST', `midoffices/${midofficeId}/notes`, { text: hostile }, 201],
  ];
  for (const [method, path, body, expected] of calls) {
    const reply = await support(method, `${base}/${path}`, body);
    expect([path, reply.status]).toEqual([path, expected]);
  }
  receiver.answer = status(200);
  const [deliveredId = ''] = await report(support, agency, ['OK-1', 'OK-2']);
  await allAre(support, 'delivered', agency);
  receiver.answer = status(500, hostile, { 'content-type': 'text/html', server: hostile });
  const more = { agreement_number: hostile, status: hostile, event_id: hostile };
  const [exhaustedId = ''] = await report(support, agency, [hostile], more);
  await eventually(
    () => support('GET', `${base}/deliveries/${exhaustedId}`),
    ({ body }) => body.state === 'exhausted',
  );
  return { ...agency, deliveredId, exhaustedId };
}

/** One of a key, and one of nobody. */
export async function refuseCalls({ support, addresses }: Seeded, keyId: string): Promise<void> {
  const url = `${addresses.production}/api/b2b/v3/search/hp/`;
  await fetch(url);
  await fetch(url, { headers: { authorization: basic(keyId, 'wrong') } });
  await eventually(
    () => support('GET', `${base}/calls`),
    ({ body }) => body.items.length === 2,
  );
}
