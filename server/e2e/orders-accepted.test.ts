import { expect, test } from 'vitest';
import {
  DELIVERIES,
  describeWebhooksOnEachEngine,
  EVENTS,
  MIDOFFICES,
  newEvent,
  newSender,
  postText,
  WITHOUT_DELIVERY,
} from './webhook-bellhop.ts';

const DELIVERY_ID = expect.stringMatching(/^del_[1-9]\d*$/);

describeWebhooksOnEachEngine('order events are accepted', WITHOUT_DELIVERY, (bellhop) => {
  const post = (body: unknown) => bellhop.support('POST', EVENTS, body);

  test('one at a time', async () => {
    const sender = await newSender(bellhop);
    const event = newEvent(sender, { type: 'created', agreement_number: 'A-7', status: 'paid' });
    const { status, body } = await post(event);
    expect([status, body]).toEqual([
      202,
      { results: [{ event_id: event.event_id, outcome: 'queued', delivery_id: DELIVERY_ID }] },
    ]);
    const delivery = await bellhop.support('GET', `${DELIVERIES}/${body.results[0].delivery_id}`);
    expect(delivery.body).toMatchObject({
      ...event,
      id: body.results[0].delivery_id,
      midoffice_id: sender.midofficeId,
      state: 'pending',
      in_flight: false,
      attempts_made: 0,
      next_attempt_at: expect.any(String),
      accepted_at: expect.any(String),
      settled_at: null,
      attempts: [],
    });
    expect(delivery.body.next_attempt_at).toBe(delivery.body.accepted_at);
  });

  test('with agreement number and status, with one of them, or without both', async () => {
    const sender = await newSender(bellhop);
    for (const more of [{ agreement_number: 'A' }, { status: 'S' }, {}]) {
      const { body } = await post(newEvent(sender, more));
      const path = `${DELIVERIES}/${body.results[0].delivery_id}`;
      expect((await bellhop.support('GET', path)).body).toMatchObject({
        agreement_number: null,
        status: null,
        ...more,
      });
    }
  });

  test.each([1, 2, 1_000])('%d in one request, answered in the same order', async (count) => {
    const sender = await newSender(bellhop);
    const events = Array.from({ length: count }, () => newEvent(sender));
    const { status, body } = await post({ events });
    expect(status).toBe(202);
    expect(body.results.map((one: { event_id: string }) => one.event_id)).toEqual(
      events.map(({ event_id }) => event_id),
    );
    const ids = body.results.map((one: { delivery_id: string }) => one.delivery_id);
    expect(new Set(ids).size).toBe(count);
    // Numbered in the order in which they were accepted.
    const numbers = ids.map((id: string) => Number(id.slice(4)));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  test('each with its own outcome', async () => {
    const sender = await newSender(bellhop);
    const other = await newSender(bellhop);
    const { partnerId } = await bellhop.newKey('production');
    const before = newEvent(sender);
    const first = (await post(before)).body.results[0].delivery_id;
    const lonely = newEvent({ partnerId });
    const asking = newEvent({ partnerId }, { midoffice_id: other.midofficeId });
    const fresh = newEvent(sender);
    const { status, body } = await post({
      events: [lonely, before, fresh, asking, fresh, lonely],
    });
    expect(status).toBe(202);
    const [alone, , third, fourth] = body.results;
    expect(body.results).toEqual([
      { event_id: lonely.event_id, outcome: 'no_midoffice', delivery_id: DELIVERY_ID },
      { event_id: before.event_id, outcome: 'duplicate', delivery_id: first },
      { event_id: fresh.event_id, outcome: 'queued', delivery_id: DELIVERY_ID },
      { event_id: asking.event_id, outcome: 'queued', delivery_id: DELIVERY_ID },
      { event_id: fresh.event_id, outcome: 'duplicate', delivery_id: third.delivery_id },
      { event_id: lonely.event_id, outcome: 'duplicate', delivery_id: alone.delivery_id },
    ]);
    const asked = await bellhop.support('GET', `${DELIVERIES}/${fourth.delivery_id}`);
    expect(asked.body.midoffice_id).toBe(other.midofficeId);
  });

  test('without a midoffice, listed and shown, and queued once there is one', async () => {
    const { partnerId } = await bellhop.newKey('production');
    const sender = await newSender(bellhop);
    const events = Array.from({ length: 3 }, () => newEvent({ partnerId }));
    const since = new Date().toISOString();
    await post({ events });
    const list = async (query = '') =>
      (await bellhop.support('GET', `${DELIVERIES}?partner_id=${partnerId}${query}`)).body.items;
    const unrouted = await list('&state=unrouted');
    expect(unrouted).toHaveLength(3);
    expect(unrouted).toEqual(await list());
    const [newest] = unrouted;
    expect(newest).toMatchObject({
      state: 'unrouted',
      midoffice_id: null,
      attempts_made: 0,
      settled_at: null,
    });
    const path = `${DELIVERIES}/${newest.id}`;
    expect((await bellhop.support('GET', path)).body).toMatchObject({ ...newest, attempts: [] });
    const early = await bellhop.support('POST', `${path}/retry`);
    expect([early.status, early.body.code]).toEqual([409, 'no_midoffice']);
    const cancelled = await bellhop.support('POST', `${path}/cancel`);
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
    expect(await list('&state=unrouted')).toEqual(unrouted.slice(1));

    const partner = `/support/v1/production/partners/${partnerId}`;
    await bellhop.support('PATCH', partner, { midoffice_id: sender.midofficeId });
    const retried = await bellhop.support('POST', `${path}/retry`);
    expect(retried.body).toMatchObject({ state: 'pending', midoffice_id: sender.midofficeId });
    const recovery = `${MIDOFFICES}/${sender.midofficeId}/recovery`;
    const recovered = await bellhop.support('POST', recovery, { since });
    expect(recovered.body).toEqual({ requeued: 2 });
    expect(await list('&state=unrouted')).toEqual([]);
    for (const item of await list()) {
      expect(item).toMatchObject({ state: 'pending', midoffice_id: sender.midofficeId });
    }
  });

  test('once, if a hundred copies arrive at the same time', async () => {
    const sender = await newSender(bellhop);
    const event = newEvent(sender);
    const replies = await Promise.all(Array.from({ length: 100 }, () => post(event)));
    expect(replies.map(({ status }) => status)).toEqual(Array(100).fill(202));
    const results = replies.map(({ body }) => body.results[0]);
    expect(results.map(({ outcome }) => outcome).sort()).toEqual([
      ...Array(99).fill('duplicate'),
      'queued',
    ]);
    expect(new Set(results.map(({ delivery_id }) => delivery_id)).size).toBe(1);
    const { body } = await bellhop.support(
      'GET',
      `${DELIVERIES}?midoffice_id=${sender.midofficeId}`,
    );
    expect(body.items).toHaveLength(1);
  });

  test.each([
    ['an emoji', '🧳'],
    ['a character beyond ASCII', 'é'],
    ['a plain letter', 'x'],
  ])('with ids measured in characters: %s', async (_name, character) => {
    const sender = await newSender(bellhop);
    // With a random ending, because ids must be unique.
    const id = (length: number) => character.repeat(length - 6) + String(Math.random()).slice(-6);
    for (const [fields, status] of [
      [{ event_id: id(128) }, 202],
      [{ event_id: id(129) }, 422],
      [{ partner_order_id: id(256) }, 202],
      [{ partner_order_id: id(257) }, 422],
      [{ agreement_number: id(1_024), status: id(1_024) }, 202],
      [{ agreement_number: id(1_025) }, 422],
      [{ status: id(1_025) }, 422],
    ] as const) {
      const event = newEvent(sender, fields);
      const reply = await post(event);
      expect([fields, reply.status]).toEqual([fields, status]);
      if (status === 422) {
        const field = `/${Object.keys(fields)[0]}`;
        expect(reply.body.errors).toMatchObject([{ field }]);
        continue;
      }
      const shown = await bellhop.support(
        'GET',
        `${DELIVERIES}/${reply.body.results[0].delivery_id}`,
      );
      expect(shown.body).toMatchObject(event);
    }
  });

  test('with optional fields that are null or missing, which is the same, but not the same as empty', async () => {
    const sender = await newSender(bellhop);
    const event = newEvent(sender);
    const nothing = { agreement_number: null, status: null, midoffice_id: null };
    expect((await post({ ...event, ...nothing })).body.results[0].outcome).toBe('queued');
    expect((await post(event)).body.results[0].outcome).toBe('duplicate');
    expect((await post({ ...event, status: '' })).status).toBe(409);
  });

  test('a thousand of the greatest length, even with every character escaped', async () => {
    const sender = await newSender(bellhop);
    const events = Array.from({ length: 1_000 }, (_, n) => ({
      ...newEvent(sender),
      event_id: `${'🧳'.repeat(124)}${String(n).padStart(4, '0')}`,
      partner_order_id: '🧳'.repeat(256),
      agreement_number: '🧳'.repeat(1_024),
      status: '🧳'.repeat(1_024),
    }));
    const escaped = JSON.stringify({ events }).replaceAll('🧳', '\\ud83e\\uddf3');
    const reply = await postText(bellhop, escaped);
    expect(reply.status).toBe(202);
    expect(reply.body.results).toHaveLength(1_000);
  });
});
