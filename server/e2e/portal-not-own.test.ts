/**
 * A midoffice that is not only the partner's own. The signature in a webhook's body covers no payload, so whoever
 * receives one that another partner's key has signed can put it on a body of their own.
 */
import { createVerifier } from '@bellhop/partner';
import { expect, test } from 'vitest';
import type { TestBellhop, TestKey } from '../testing/bellhop.ts';
import { describeOnEachEngine } from '../testing/engines.ts';
import { type PortalBrowser, signedInBrowser } from '../testing/portal-browser.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { startReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

const SUPPORT = '/support/v1/production';
const NOBODY = 'http://127.0.0.1:9/hook';
const SINCE = '2026-01-01T00:00:00Z';

describeOnEachEngine('a midoffice that is not one’s own', (_start, share) => {
  const bellhop = share({
    ...LOOPBACK_RECEIVERS,
    BELLHOP_ENVIRONMENTS: 'production',
    BELLHOP_ROLES: 'back-office,portal',
  });

  test('that signs with another partner’s key gives nobody a signature to forge with', async () => {
    const { victim, attacker, browser } = await borrowedSignature(bellhop());
    const receiver = await startReceiver();
    const tries: [method: string, path: string, body?: object][] = [
      ['POST', 'midoffice/receiver-check', {}],
      ['POST', 'midoffice/rehearsals', { url: receiver.url }],
      ['PATCH', 'midoffice', { url: receiver.url }],
      ['PATCH', 'midoffice', { body_form: 'flat' }],
      ['POST', 'midoffice/test-event'],
      ['POST', 'midoffice/recovery', { since: SINCE }],
      ['POST', 'midoffice/send-pending'],
      ['POST', `deliveries/${await onlyDelivery(browser)}/retry`],
    ];
    const replies = [];
    for (const [method, path, body] of tries) {
      const reply = await browser.send(method, path, body);
      replies.push([`${method} ${path}`, reply.status, reply.body.code]);
    }
    expect(await forgedWith(receiver, victim)).toBe('no webhook to forge with');
    const refused = tries.map(([method, path]) => [`${method} ${path}`, 409, 'midoffice_not_own']);
    expect(replies).toEqual(refused);
    const { body } = await browser.get('midoffice');
    expect(body).toMatchObject({ url: NOBODY, is_own: false, signing_key_id: null });
    expect(JSON.stringify(body)).not.toContain(victim.keyId);
    // With a key of its own, everything is the partner's again.
    await patch(bellhop(), `midoffices/${await midofficeOf(bellhop(), attacker)}`, {
      signing_key_id: attacker.keyId,
    });
    const moved = await browser.send('PATCH', 'midoffice', { url: receiver.url });
    expect(moved.body).toMatchObject({ url: receiver.url, is_own: true });
    expect(await forgedWith(receiver, victim)).toBe('bad_signature');
    expect((await browser.send('POST', 'midoffice/send-pending')).status).toBe(200);
  });

  test('is one that another partner’s event named', async () => {
    const own = await bellhop().newKey('production');
    const named = { name: 'Named', url: NOBODY, signing_key_id: own.keyId };
    const { body: midoffice } = await bellhop().support('POST', `${SUPPORT}/midoffices`, named);
    await patch(bellhop(), `partners/${own.partnerId}`, { midoffice_id: midoffice.id });
    const others = [await bellhop().newKey('production'), await bellhop().newKey('production')];
    const browser = await signedInBrowser(bellhop(), 'production', own.partnerId);
    const name = ({ partnerId }: TestKey) =>
      bellhop().support('POST', '/orders/v1/production/events', {
        event_id: `named ${partnerId}`,
        type: 'created',
        partner_order_id: 'some order',
        partner_id: partnerId,
        midoffice_id: midoffice.id,
      });
    await name(own);
    expect((await browser.get('midoffice')).body).toMatchObject({ is_own: true, pending: 1 });
    for (const other of others) await name(other);
    expect((await browser.get('midoffice')).body).toMatchObject({
      is_own: false,
      is_shared: true,
      pending: null,
    });
    const moved = await browser.send('PATCH', 'midoffice', { url: 'http://127.0.0.1:9/mine' });
    expect([moved.status, moved.body.code]).toEqual([409, 'midoffice_not_own']);
    // What support does to it from now on may be about the others.
    await patch(bellhop(), `midoffices/${midoffice.id}`, { max_in_flight: 2 });
    const { items } = (await browser.get('activity')).body;
    expect(items.map(({ subject }: { subject: string }) => subject)).not.toContain(midoffice.id);
  });

  test('is told to support wherever it comes about', async () => {
    const { victim, attacker } = await borrowedSignature(bellhop());
    const midofficeId = await midofficeOf(bellhop(), attacker);
    const warned = [{ code: 'signing_key_not_own', detail: expect.stringContaining('key') }];
    const read = () => bellhop().support('GET', `${SUPPORT}/midoffices/${midofficeId}`);
    const assign = (partnerId: string, id: string | null) =>
      patch(bellhop(), `partners/${partnerId}`, { midoffice_id: id });
    expect((await read()).body.warnings).toEqual(warned);
    const listed = await bellhop().support('GET', `${SUPPORT}/midoffices?limit=200`);
    const ofList = listed.body.items.find((one: { id: string }) => one.id === midofficeId);
    expect(ofList.warnings).toEqual(warned);
    expect(await assign(attacker.partnerId, null)).not.toHaveProperty('warnings');
    // Nobody works with it, so it signs for nobody.
    expect((await read()).body.warnings).toEqual([]);
    expect((await assign(attacker.partnerId, midofficeId)).warnings).toEqual(warned);
    const saved = await patch(bellhop(), `midoffices/${midofficeId}`, { max_in_flight: 2 });
    expect(saved.warnings).toEqual(warned);
    // Several partners that share a midoffice, the owner of the key among them, have agreed on it.
    expect(await assign(victim.partnerId, midofficeId)).not.toHaveProperty('warnings');
    expect((await assign(victim.partnerId, null)).warnings).toEqual(warned);
    const own = { signing_key_id: attacker.keyId };
    expect((await patch(bellhop(), `midoffices/${midofficeId}`, own)).warnings).toEqual([]);
  });
});

/** Support has given one partner a midoffice that signs with the key of another. */
async function borrowedSignature(bellhop: TestBellhop) {
  const victim = await bellhop.newKey('production');
  const attacker = await bellhop.newKey('production');
  const midoffice = { name: 'Borrowed', url: NOBODY, signing_key_id: victim.keyId };
  const { body } = await bellhop.support('POST', `${SUPPORT}/midoffices`, midoffice);
  await patch(bellhop, `partners/${attacker.partnerId}`, { midoffice_id: body.id });
  const event = { event_id: attacker.partnerId, type: 'created', partner_order_id: 'own order' };
  const sent = { ...event, partner_id: attacker.partnerId };
  await bellhop.support('POST', '/orders/v1/production/events', sent);
  const browser = await signedInBrowser(bellhop, 'production', attacker.partnerId);
  return { victim, attacker, browser };
}

/** What the victim's verifier says of a made-up order under the signature of the last webhook that came. */
async function forgedWith({ received }: WebhookReceiver, victim: TestKey): Promise<string> {
  const last = received.at(-1);
  if (!last) return 'no webhook to forge with';
  const data = { type: 'cancelled', partner_order_id: 'an order of the victim' };
  const forged = JSON.stringify({ data, signature: last.json.signature });
  const verified = await createVerifier({ apiKey: victim.apiKey }).verify(forged);
  return verified.ok ? 'accepted' : verified.reason;
}

async function patch(bellhop: TestBellhop, path: string, body: object) {
  return (await bellhop.support('PATCH', `${SUPPORT}/${path}`, body)).body;
}

async function midofficeOf(bellhop: TestBellhop, { partnerId }: TestKey): Promise<string> {
  return (await bellhop.support('GET', `${SUPPORT}/partners/${partnerId}`)).body.midoffice_id;
}

/** The id of the only delivery, as the portal shows it. */
async function onlyDelivery(browser: PortalBrowser): Promise<string> {
  return (await browser.get('deliveries')).body.items[0].id;
}
