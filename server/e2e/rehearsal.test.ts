/** Rehearsals over HTTP: who may ask for one, in the back office and in the portal, and what is refused. */
import { createVerifier } from '@bellhop/partner';
import { expect, test } from 'vitest';
import type { TestBellhop } from '../testing/bellhop.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { describePortal, newPerson, SUPPORT } from './portal-person.ts';
import {
  describeWebhooksOnEachEngine,
  EVENTS,
  MIDOFFICES,
  newEvent,
  newSender,
  WITHOUT_DELIVERY,
} from './webhook-bellhop.ts';

function rehearse({ support }: TestBellhop, midofficeId: string, body: object, token?: string) {
  return support('POST', `${MIDOFFICES}/${midofficeId}/rehearsals`, body, token);
}

describeWebhooksOnEachEngine('a rehearsal that support asks for', WITHOUT_DELIVERY, (bellhop) => {
  test('is signed, marked and reported, and is in the audit', async () => {
    const receiver = await startReceiver();
    const sender = await newSender(bellhop);
    const event = newEvent(sender, { type: 'created', partner_order_id: 'BK-1' });
    const { body: accepted } = await bellhop.support('POST', EVENTS, event);
    const id = accepted.results[0].delivery_id;
    const reply = await rehearse(bellhop, sender.midofficeId, { url: receiver.url });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        url: receiver.url,
        form: 'data',
        verdict: 'passed',
        cause: null,
        timings: { fastest_ms: expect.any(Number) },
        lines: [
          {
            name: id,
            title: 'accepts that order BK-1 was created',
            outcome: 'passed',
            status_code: 200,
            got: expect.stringMatching(/^200 after \d+ ms\.$/),
          },
        ],
      },
    });
    const [webhook] = receiver.received;
    expect(webhook?.headers['x-bellhop-rehearsal']).toBe('1');
    expect(webhook?.headers['webhook-id']).toBe(event.event_id);
    const verifier = createVerifier({ apiKey: sender.apiKey, requireHeaders: true });
    expect(await verifier.verify(webhook?.body ?? '', webhook?.headers)).toMatchObject({
      ok: true,
      event: { partnerOrderId: 'BK-1' },
    });
    const audit = `/support/v1/production/audit?subject=${sender.midofficeId}&limit=1`;
    expect((await bellhop.support('GET', audit)).body.items[0]).toMatchObject({
      action: 'midoffice.rehearse',
      after: {
        url: receiver.url,
        passed: 1,
        webhooks: [expect.stringMatching(`^${id} 200 \\d+ms$`)],
      },
    });
  });

  test('is refused to a URL that may not be called, and calls nobody', async () => {
    const sender = await newSender(bellhop);
    await bellhop.support('POST', EVENTS, newEvent(sender));
    for (const url of ['http://10.0.0.1/hook', 'https://169.254.169.254/', 'ftp://example.com']) {
      const refused = { status: 422, body: { code: 'receiver_refused' } };
      expect(await rehearse(bellhop, sender.midofficeId, { url })).toMatchObject(refused);
    }
  });

  test('is of webhooks of this midoffice only, chosen as it is said', async () => {
    const receiver = await startReceiver();
    const sender = await newSender(bellhop, receiver.url);
    const other = await newSender(bellhop);
    const nothing = { status: 404, body: { code: 'delivery_not_found' } };
    expect(await rehearse(bellhop, sender.midofficeId, {})).toMatchObject(nothing);
    const { body: theirs } = await bellhop.support('POST', EVENTS, newEvent(other));
    const { body: mine } = await bellhop.support('POST', EVENTS, newEvent(sender));
    const foreign = theirs.results[0].delivery_id;
    const own = mine.results[0].delivery_id;
    for (const body of [
      { delivery_ids: [own, foreign] },
      { delivery_ids: ['del_999999999'] },
      { delivery_ids: ['nonsense'] },
      { partner_order_id: 'none' },
    ]) {
      expect(await rehearse(bellhop, sender.midofficeId, body)).toMatchObject(nothing);
    }
    for (const body of [{ newest: 101 }, { newest: 0 }, { delivery_ids: [] }]) {
      const refused = { status: 422, body: { code: 'validation_failed' } };
      expect(await rehearse(bellhop, sender.midofficeId, body)).toMatchObject(refused);
    }
    expect(receiver.received).toEqual([]);
    const twice = await rehearse(bellhop, sender.midofficeId, { delivery_ids: [own, own] });
    expect(twice.body).toMatchObject({ passed: 1, lines: [{ name: own }] });
    expect(receiver.received).toHaveLength(1);
    // Named webhooks are sent whatever else is chosen.
    const named = { delivery_ids: [own], partner_order_id: 'x', newest: 1 };
    const both = await rehearse(bellhop, sender.midofficeId, named);
    expect(both.body).toMatchObject({ passed: 1, lines: [{ name: own }] });
    expect(receiver.received).toHaveLength(2);
  });

  test('is for those who may change something, and needs a midoffice', async () => {
    const receiver = await startReceiver();
    const sender = await newSender(bellhop, receiver.url);
    await bellhop.support('POST', EVENTS, newEvent(sender));
    const missing = { status: 404, body: { code: 'midoffice_not_found' } };
    expect(await rehearse(bellhop, 'nonesuch', {})).toMatchObject(missing);
    for (const [role, code] of [
      ['viewer', 403],
      ['orders', 403],
      ['support', 200],
    ] as const) {
      const made = await bellhop.support('POST', '/support/v1/tokens', { name: role, role });
      const reply = await rehearse(bellhop, sender.midofficeId, {}, made.body.token);
      expect([role, reply.status]).toEqual([role, code]);
    }
    expect(receiver.received).toHaveLength(1);
  });
});

describePortal((bellhop) => {
  test('a rehearsal in the portal is of own orders, under their own ids', async () => {
    const receiver = await startReceiver();
    const ann = await newPerson(bellhop);
    const bob = await newPerson(bellhop);
    const supports = await ann.order('first');
    await ann.order('second');
    await bob.order('foreign');
    const own = await ann.idOf('first');
    const path = 'midoffice/rehearsals';
    const chosen = { url: receiver.url, delivery_ids: [own] };
    const { status: code, body } = await ann.send('POST', path, chosen);
    expect([code, body.verdict]).toEqual([200, 'passed']);
    expect(body.lines).toMatchObject([
      { name: own, title: 'accepts that order first was created' },
    ]);
    expect(JSON.stringify(body)).not.toContain(`"${supports}"`);
    for (const id of [await bob.idOf('foreign'), supports, 'del_1', 'nonsense']) {
      const foreign = { url: receiver.url, delivery_ids: [own, id] };
      expect((await ann.send('POST', path, foreign)).body.code).toBe('delivery_not_found');
    }
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['first']);
    const newest = await ann.send('POST', path, { url: receiver.url });
    expect(newest.body).toMatchObject({ passed: 2 });
    const { items } = (await ann.get('activity')).body;
    expect(items[0]).toMatchObject({
      by: 'partner',
      action: 'midoffice.rehearse',
      after: { url: receiver.url, passed: 2, verdict: 'passed' },
    });
    expect(JSON.stringify(items)).not.toContain(`${supports} `);
  });

  test('a rehearsal in the portal counts as a call of the receiver: ten a minute', async () => {
    const receiver = await startReceiver(status(204));
    const ann = await newPerson(bellhop, { url: receiver.url });
    await ann.order('only');
    const call = () => ann.send('POST', 'midoffice/rehearsals', {});
    const replies = await Promise.all(Array.from({ length: 12 }, call));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(10);
    const held = replies.filter((reply) => reply.status === 429);
    expect(held.map(({ body }) => body.code)).toEqual(Array(2).fill('too_many_portal_calls'));
    expect((await ann.send('POST', 'midoffice/test-event')).status).toBe(429);
    // One rehearsal after another, so nothing overlaps.
    expect(receiver.received).toHaveLength(10);
    expect(receiver.mostInFlight).toBe(1);
  });

  test('a rehearsal in the portal is refused to a URL inside the network', async () => {
    const ann = await newPerson(bellhop);
    await ann.order('only');
    const inside = { url: 'http://10.0.0.1/hook' };
    const reply = await ann.send('POST', 'midoffice/rehearsals', inside);
    expect(reply).toMatchObject({ status: 422, body: { code: 'receiver_refused' } });
  });

  test('nobody rehearses at a midoffice that others share', async () => {
    const receiver = await startReceiver();
    const ann = await newPerson(bellhop, { url: receiver.url });
    const bob = await newPerson(bellhop, { sharing: ann.midofficeId });
    await ann.order('hers');
    for (const person of [ann, bob]) {
      const reply = await person.send('POST', 'midoffice/rehearsals', {});
      expect(reply).toMatchObject({ status: 409, body: { code: 'midoffice_not_own' } });
    }
    expect(receiver.received).toEqual([]);
    const path = `${SUPPORT}/midoffices/${ann.midofficeId}/rehearsals`;
    expect((await bellhop.support('POST', path, {})).body).toMatchObject({ passed: 1 });
  });
});
