/** What the portal knows from the partner API and the deliveries of its own process. */
import { expect, onTestFinished, test } from 'vitest';
import { signedInBrowser } from '../testing/portal-browser.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';

const bellhop = sharedBellhop();

test('attempts name the key that signed them only to its own partner', async () => {
  const receiver = await startReceiver(status(200));
  onTestFinished(() => receiver.close());
  const [one, other] = [await bellhop.newKey('sandbox'), await bellhop.newKey('sandbox')];
  const at = '/support/v1/sandbox';
  const midoffice = { name: 'Shared', url: receiver.url, signing_key_id: one.keyId };
  const { body: created } = await bellhop.support('POST', `${at}/midoffices`, midoffice);
  const signedAs: unknown[] = [];
  for (const { partnerId } of [one, other]) {
    const assigned = { midoffice_id: created.id };
    await bellhop.support('PATCH', `${at}/partners/${partnerId}`, assigned);
    const event = { event_id: partnerId, type: 'created', partner_order_id: '1' };
    const sent = { ...event, partner_id: partnerId };
    await bellhop.support('POST', '/orders/v1/sandbox/events', sent);
    const { get } = await signedInBrowser(bellhop, 'sandbox', partnerId);
    const attempts = async () =>
      (await get(`deliveries/${(await get('deliveries')).body.items[0].id}`)).body.attempts;
    await expect.poll(attempts, { timeout: 20_000 }).toHaveLength(1);
    const [{ outcome, key_id, key_fingerprint }] = await attempts();
    signedAs.push({ outcome, key_id, key_fingerprint });
  }
  expect(signedAs).toEqual([
    { outcome: 'delivered', key_id: one.keyId, key_fingerprint: expect.any(String) },
    { outcome: 'delivered', key_id: null, key_fingerprint: null },
  ]);
});

test('limits are those that are enforced, and refused calls are explained', async () => {
  const key = await bellhop.newKey('sandbox', { endpoints: ['api/b2b/v3/overview/'] });
  const stranger = await bellhop.newKey('sandbox');
  const browser = await signedInBrowser(bellhop, 'sandbox', key.partnerId);
  const call = (path: string, authorization = key.authorization) =>
    fetch(`${bellhop.addresses.sandbox}/api/b2b/v3/${path}`, { headers: { authorization } });
  expect((await call('overview/')).status).toBe(200);
  const refused = await call('search/hp/');
  expect(refused.status).toBe(403);
  await call('nowhere/', stranger.authorization);
  const { body } = await browser.get(`keys/${key.keyId}/limits`);
  expect(body.items).toMatchObject([{ used: 1, remaining: 99, resets_at: expect.any(String) }]);
  const again = await browser.get(`keys/${key.keyId}/limits`);
  expect(again.body.items).toMatchObject([{ used: 1 }]);
  const { body: home } = await browser.get('home');
  const { resets_at, ...limit } = body.items[0];
  expect(home.keys).toMatchObject([{ limits_in_use: [limit] }]);
  const listed = await expect
    .poll(async () => (await browser.get('refusals')).body.items, {
      timeout: 20_000,
      interval: 250,
    })
    .toHaveLength(1)
    .then(() => browser.get(`refusals?key_id=${key.keyId}&code=endpoint_not_found`));
  expect(listed.body.items).toEqual([
    expect.objectContaining({
      request_id: refused.headers.get('x-request-id'),
      code: 'endpoint_not_found',
      status: 403,
      endpoint: 'api/b2b/v3/search/hp/',
      advice: expect.stringContaining('overview'),
    }),
  ]);
  expect(listed.body.items[0]).not.toHaveProperty('upstream_status');
});
