/** Everything about one order or one refused call, as support and as the partner sees it. */
import { beforeAll, expect, test } from 'vitest';
import { describeOnEachEngine } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { type PortalBrowser, signedInBrowser } from '../testing/portal-browser.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { startReceiver, status, type WebhookReceiver } from '../testing/webhook-receiver.ts';
import { EVENTS, newEvent, newSender, type Sender } from './webhook-bellhop.ts';
import { call, OVERVIEW_PATH } from './wire.ts';

const BASE = '/support/v1/production';
const SETTINGS = { ...LOOPBACK_RECEIVERS, BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1ms' };

interface Item {
  at: string;
  kind: string;
  sentence: string;
  subject: string | null;
  by: string | null;
  request_id: string | null;
}

describeOnEachEngine('a case', (_start, share) => {
  const bellhop = share(SETTINGS);
  let receiver: WebhookReceiver;
  let mine: Sender;
  let theirs: Sender;
  let portal: PortalBrowser;
  let orders = 0;

  beforeAll(async () => {
    receiver = await startReceiver(
      (webhook, response, request) =>
        status(webhook.orderId.startsWith('bad') ? 500 : 200)(webhook, response, request),
      { atEnd: () => {} },
    );
    mine = await newSender(bellhop(), receiver.url);
    theirs = await newSender(bellhop(), receiver.url);
    portal = await signedInBrowser(bellhop(), 'production', mine.partnerId);
    return () => receiver.close();
  });

  const send = (method: string, path: string, body?: unknown) =>
    bellhop().support(method, `${BASE}/${path}`, body);

  const change = async (method: string, path: string, body?: unknown) => {
    const reply = await send(method, path, body);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body;
  };

  async function accept(sender: Sender, more: object) {
    const event = newEvent(sender, more);
    const { body } = await bellhop().support('POST', EVENTS, event);
    return { ...event, deliveryId: body.results[0].delivery_id as string };
  }

  const settled = (deliveryId: string) =>
    eventually(
      () => change('GET', `deliveries/${deliveryId}`),
      ({ settled_at }) => settled_at !== null,
    );

  const caseOf = (id: string) => change('GET', `cases/${encodeURIComponent(id)}`);
  const inPortal = (id: string) => portal.get(`cases/${encodeURIComponent(id)}`);
  const newOrder = (name: string) => `${name} ${++orders} ${process.pid}`;
  const kinds = (items: Item[]) => items.map(({ kind }) => kind);

  test('tells the story of an order, from its first event to what support did', async () => {
    const order = newOrder('bad');
    const first = await accept(mine, { type: 'created', partner_order_id: order });
    await settled(first.deliveryId);
    await change('PATCH', `midoffices/${mine.midofficeId}`, { max_in_flight: 7 });
    await change('POST', `deliveries/${first.deliveryId}/notes`, { text: 'They know.' });
    await change('POST', `deliveries/${first.deliveryId}/retry`);
    await settled(first.deliveryId);
    const second = await accept(mine, { partner_order_id: order });
    await settled(second.deliveryId);

    const { subject, items, is_complete } = await caseOf(order);
    expect(subject).toMatchObject({ kind: 'order', id: order, partner_id: mine.partnerId });
    expect(subject.deliveries.map(({ id }: { id: string }) => id)).toEqual([
      second.deliveryId,
      first.deliveryId,
    ]);
    expect(is_complete).toBe(true);
    const times = items.map(({ at }: Item) => at);
    expect(times).toEqual(times.toSorted());
    const of = (id: string) => items.filter((one: Item) => one.subject === id);
    expect(kinds(of(first.deliveryId))).toEqual([
      'accepted',
      'routed',
      'attempt',
      'attempt',
      'note',
      'action',
      'attempt',
      'attempt',
      'exhausted',
    ]);
    expect(kinds(of(second.deliveryId))).toEqual([
      'accepted',
      'routed',
      'attempt',
      'attempt',
      'exhausted',
    ]);
    const [limit] = of(mine.midofficeId);
    expect(limit).toMatchObject({ kind: 'change', sentence: expect.stringContaining('to 7') });
    const attempt = items.find((one: Item) => one.kind === 'attempt');
    expect(attempt).toMatchObject({ attempt: 1, status_code: 500, url: receiver.url });
    expect(attempt.sentence).toMatch(/^Attempt 1 failed after \d+ ms\. The receiver answered 500/);
    const note = items.find((one: Item) => one.kind === 'note');
    expect(note.sentence).toContain('“They know.”');

    // The partner reads the same, without notes, limits that it does not see, and names.
    const own = await inPortal(order);
    const name = note.by as string;
    expect(own.status).toBe(200);
    const text = JSON.stringify(own.body);
    for (const hidden of ['They know', 'to 7', `"${name}"`, `${name} `, `"${first.deliveryId}"`]) {
      expect(text).not.toContain(hidden);
    }
    const action = own.body.items.find((one: Item) => one.kind === 'action');
    expect(action).toMatchObject({
      by: 'API support',
      sentence: expect.stringContaining('API support sent order'),
    });
    const [newest] = own.body.subject.deliveries;
    expect(newest.id).toMatch(/^del_[0-9a-f]{32}$/);
    expect((await portal.get(`deliveries/${newest.id}`)).body.event_id).toBe(second.event_id);
  });

  test('has the rehearsals of the order, and not those of other orders', async () => {
    const order = newOrder('ok');
    const { deliveryId } = await accept(mine, { partner_order_id: order });
    await settled(deliveryId);
    const other = newOrder('ok');
    await settled((await accept(mine, { partner_order_id: other })).deliveryId);
    const rehearsals = `midoffices/${mine.midofficeId}/rehearsals`;
    const url = `${receiver.url}new`;
    await change('POST', rehearsals, { url, partner_order_id: order });
    await change('POST', rehearsals, { partner_order_id: other });
    await change('POST', rehearsals, { delivery_ids: [deliveryId] });
    for (const { items } of [await caseOf(order), (await inPortal(order)).body]) {
      const rehearsed = items.filter((one: Item) => one.sentence.includes('rehearsal'));
      expect(rehearsed).toMatchObject([
        {
          kind: 'action',
          sentence: expect.stringMatching(
            new RegExp(`as a rehearsal\\. Of this order, at ${url}: 1 accepted\\.$`),
          ),
        },
        { sentence: expect.stringContaining(`at ${receiver.url}: 1 accepted.`) },
      ]);
    }
  });

  test('is found by the order, event or delivery, in any case and with blanks', async () => {
    const order = newOrder('Ok/ähm?#%20 ÄB');
    const event = await accept(mine, {
      partner_order_id: order,
      event_id: `${newOrder('evt')}-ab`,
    });
    await settled(event.deliveryId);
    const { body: own } = await inPortal(order);
    const ownId = own.subject.deliveries[0].id;
    const ids = [order, event.event_id, ownId].flatMap((id) => [
      id,
      `  ${id} `,
      id.toLowerCase(),
      id.toUpperCase(),
    ]);
    for (const id of [...ids, event.deliveryId, event.deliveryId.toUpperCase()]) {
      expect((await caseOf(id)).subject.id, id).toBe(order);
    }
    for (const id of ids) expect((await inPortal(id)).body.subject?.id, id).toBe(order);
    // Support's ids count deliveries, so partners cannot use them.
    expect((await inPortal(event.deliveryId)).status).toBe(404);
  });

  test('a case of another partner is answered as one that does not exist', async () => {
    const order = newOrder('theirs');
    const event = await accept(theirs, { partner_order_id: order });
    const { body } = await (await signedInBrowser(bellhop(), 'production', theirs.partnerId)).get(
      `cases/${encodeURIComponent(order)}`,
    );
    const [{ id: ownId }] = body.subject.deliveries;
    const unknown = await inPortal('no such order');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'case_not_found' } });
    for (const id of [order, order.toUpperCase(), event.event_id, event.deliveryId, ownId]) {
      const reply = await inPortal(id);
      expect({ ...reply, headers: 0 }, id).toEqual({ ...unknown, headers: 0 });
    }
    for (const id of ['no such order', 'a\0b', '\ud800', ' ']) {
      const encoded = id === '\ud800' ? '%ED%A0%80' : encodeURIComponent(id);
      expect((await send('GET', `cases/${encoded}`)).status, encoded).toBe(404);
    }
  });

  test('an order id that two partners have is two cases, and each partner sees its own', async () => {
    const order = newOrder('shared');
    const own = await accept(mine, { partner_order_id: order });
    const other = await accept(theirs, { partner_order_id: order });
    const { subject, items } = await caseOf(order);
    expect(subject).toMatchObject({
      partner_id: theirs.partnerId,
      deliveries: [{ id: other.deliveryId }],
      other_cases: [own.deliveryId],
    });
    expect(JSON.stringify(items)).not.toContain(own.event_id);
    expect((await caseOf(own.deliveryId)).subject.partner_id).toBe(mine.partnerId);
    const { body } = await inPortal(order);
    expect(body.subject.deliveries.map((one: { event_id: string }) => one.event_id)).toEqual([
      own.event_id,
    ]);
    expect(body.subject).not.toHaveProperty('other_cases');
    expect(JSON.stringify(body)).not.toContain(other.event_id);
  });

  test('shows at most so much, and says that there is more', async () => {
    const order = newOrder('many');
    for (let n = 0; n < 22; n++) await accept(mine, { partner_order_id: order });
    const { subject, items, is_complete } = await caseOf(order);
    expect(subject.deliveries).toHaveLength(20);
    expect(items.filter(({ kind }: Item) => kind === 'accepted')).toHaveLength(20);
    expect(is_complete).toBe(false);
  });

  test('of a midoffice that others share, partners see no changes', async () => {
    const guest = await newSender(bellhop(), receiver.url);
    await change('PATCH', `partners/${guest.partnerId}`, { midoffice_id: theirs.midofficeId });
    const order = newOrder('guest');
    await accept(guest, { partner_order_id: order });
    await change('PATCH', `midoffices/${theirs.midofficeId}`, { paused: true });
    await change('PATCH', `midoffices/${theirs.midofficeId}`, { paused: false });
    const about = (items: Item[]) => items.filter(({ subject }) => subject === theirs.midofficeId);
    expect(about((await caseOf(order)).items)).toHaveLength(2);
    const browser = await signedInBrowser(bellhop(), 'production', guest.partnerId);
    const { body } = await browser.get(`cases/${encodeURIComponent(order)}`);
    expect(about(body.items)).toEqual([]);
  });

  test('of a refused call: its verdict, the calls around it, and what was changed', async () => {
    const refused = async () => {
      const authorization = `Basic ${btoa(`${mine.keyId}:${mine.apiKey}`)}`;
      const asked = { authorization, path: OVERVIEW_PATH, headers: {} };
      const reply = await call(bellhop().addresses.production, asked);
      expect(reply.status).toBe(403);
      return reply.headers['x-request-id'] as string;
    };
    await change('PATCH', `keys/${mine.keyId}`, { disabled: true });
    const [first, second] = [await refused(), await refused()];
    await change('PATCH', `keys/${mine.keyId}`, { disabled: false });
    const { subject, items } = await eventually(
      async () => (await send('GET', `cases/${first.toUpperCase()}`)).body,
      ({ items = [] }) => kinds(items).filter((kind) => kind === 'refused').length === 2,
    );
    expect(subject).toMatchObject({ kind: 'call', id: first, partner_id: mine.partnerId });
    const calls = items.filter(({ kind }: Item) => kind === 'refused');
    expect(calls.map((one: Item) => one.request_id)).toEqual([first, second]);
    expect(calls[0].sentence).toContain('The key was disabled on');
    const changes = items.filter(({ subject }: Item) => subject === mine.keyId);
    const at = changes.map(({ kind }: Item) => kind);
    expect(at.slice(-4)).toEqual(['change', 'refused', 'refused', 'change']);
    const own = await inPortal(first);
    expect(own.body.items.map(({ sentence }: Item) => sentence)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^API support disabled/)]),
    );
    const browser = await signedInBrowser(bellhop(), 'production', theirs.partnerId);
    expect((await browser.get(`cases/${first}`)).status).toBe(404);
    // An order of the partner has the refused calls of its keys nearby.
    const order = newOrder('near');
    await accept(mine, { partner_order_id: order });
    const near = (await caseOf(order)).items.filter(({ kind }: Item) => kind === 'refused');
    expect(near.map((one: Item) => one.request_id)).toEqual([first, second]);
  });
});
