import { describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type TestBellhop } from '../testing/bellhop.ts';
import {
  DELIVERIES,
  describeWebhooksOnEachEngine,
  EVENTS,
  MIDOFFICES,
  newEvent,
  newSender,
} from './webhook-bellhop.ts';

const WITHOUT_DELIVERY = { BELLHOP_ROLES: 'back-office' };
const DELIVERY_ID = expect.stringMatching(/^del_[1-9]\d*$/);

describeWebhooksOnEachEngine('order events', WITHOUT_DELIVERY, (bellhop) => {
  const post = (body: unknown, token?: string) => bellhop.support('POST', EVENTS, body, token);

  /** What the database has of these, by posting them again: what is stored is a duplicate. */
  async function stored(events: readonly object[]): Promise<boolean[]> {
    const outcomes: boolean[] = [];
    for (const event of events) {
      outcomes.push((await post(event)).body.results[0].outcome === 'duplicate');
    }
    return outcomes;
  }

  describe('are accepted', () => {
    test('one by one', async () => {
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

    test('with agreement number and status, with one of them, with none', async () => {
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

    test.each([1, 2, 1_000])('%d in one request, answered in its order', async (count) => {
      const sender = await newSender(bellhop);
      const events = Array.from({ length: count }, () => newEvent(sender));
      const { status, body } = await post({ events });
      expect(status).toBe(202);
      expect(body.results.map((one: { event_id: string }) => one.event_id)).toEqual(
        events.map(({ event_id }) => event_id),
      );
      const ids = body.results.map((one: { delivery_id: string }) => one.delivery_id);
      expect(new Set(ids).size).toBe(count);
      // Numbered in the order of their acceptance.
      const numbers = ids.map((id: string) => Number(id.slice(4)));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    });

    test('each with what became of it', async () => {
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
      const [, , third, fourth] = body.results;
      expect(body.results).toEqual([
        { event_id: lonely.event_id, outcome: 'no_midoffice', delivery_id: null },
        { event_id: before.event_id, outcome: 'duplicate', delivery_id: first },
        { event_id: fresh.event_id, outcome: 'queued', delivery_id: DELIVERY_ID },
        { event_id: asking.event_id, outcome: 'queued', delivery_id: DELIVERY_ID },
        { event_id: fresh.event_id, outcome: 'duplicate', delivery_id: third.delivery_id },
        { event_id: lonely.event_id, outcome: 'duplicate', delivery_id: null },
      ]);
      const asked = await bellhop.support('GET', `${DELIVERIES}/${fourth.delivery_id}`);
      expect(asked.body.midoffice_id).toBe(other.midofficeId);
    });

    test('without a midoffice are listed and shown, and delivered once there is one', async () => {
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
      expect([cancelled.status, cancelled.body.code]).toEqual([409, 'delivery_settled']);

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

    test('once, of a hundred alike that come at the same time', async () => {
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
      // Marked at the end, since ids are unique.
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

    test('with fields that are null or left out, which is the same, or empty, which is not', async () => {
      const sender = await newSender(bellhop);
      const event = newEvent(sender);
      const nothing = { agreement_number: null, status: null };
      expect((await post({ ...event, ...nothing })).body.results[0].outcome).toBe('queued');
      expect((await post(event)).body.results[0].outcome).toBe('duplicate');
      expect((await post({ ...event, status: '' })).status).toBe(409);
    });

    test('a thousand of the greatest length, however they are written', async () => {
      const sender = await newSender(bellhop);
      const events = Array.from({ length: 1_000 }, (_, n) => ({
        ...newEvent(sender),
        event_id: `${'🧳'.repeat(124)}${String(n).padStart(4, '0')}`,
        partner_order_id: '🧳'.repeat(256),
        agreement_number: '🧳'.repeat(1_024),
        status: '🧳'.repeat(1_024),
      }));
      const escaped = JSON.stringify({ events }).replaceAll('🧳', '\\ud83e\\uddf3');
      const reply = await sendText(bellhop, escaped);
      expect(reply.status).toBe(202);
      expect(reply.body.results).toHaveLength(1_000);
    });
  });

  describe('are refused', () => {
    test.each([
      ['no events', { events: [] }],
      [
        '1,001 events',
        { events: Array.from({ length: 1_001 }, () => newEvent({ partnerId: 'x' })) },
      ],
    ])('as a batch of %s', async (_name, body) => {
      expect(await post(body)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field: '/events' }] },
      });
    });

    test.each<[string, object, string]>([
      ['no id', { event_id: undefined }, 'event_id'],
      ['an empty id', { event_id: '' }, 'event_id'],
      ['an id that is no text', { event_id: 7 }, 'event_id'],
      ['no type', { type: undefined }, 'type'],
      ['a type of its own', { type: 'deleted' }, 'type'],
      ['a type in capitals', { type: 'Created' }, 'type'],
      ['no partner', { partner_id: undefined }, 'partner_id'],
      ['a partner that nobody knows', { partner_id: 'par_none' }, 'partner_id'],
      ['a partner with a NUL', { partner_id: 'par\0' }, 'partner_id'],
      ['a partner with half a character', { partner_id: 'par\ud800' }, 'partner_id'],
      ['no order', { partner_order_id: undefined }, 'partner_order_id'],
      ['an empty order', { partner_order_id: '' }, 'partner_order_id'],
      ['an order that is null', { partner_order_id: null }, 'partner_order_id'],
      ['an order with a NUL', { partner_order_id: 'a\0b' }, 'partner_order_id'],
      ['an order with half a character', { partner_order_id: 'a\ud83e' }, 'partner_order_id'],
      ['an id with a NUL', { event_id: '\0' }, 'event_id'],
      ['an id with half a character', { event_id: '\udfff' }, 'event_id'],
      ['an agreement number with a NUL', { agreement_number: '\0' }, 'agreement_number'],
      ['an agreement number that is a number', { agreement_number: 7 }, 'agreement_number'],
      ['a status with half a character', { status: '\ud800' }, 'status'],
      ['a status that is no text', { status: { paid: true } }, 'status'],
      ['a midoffice that nobody knows', { midoffice_id: 'mid_none' }, 'midoffice_id'],
      ['a midoffice with a NUL', { midoffice_id: 'mid\0' }, 'midoffice_id'],
      ['a midoffice that is null', { midoffice_id: null }, 'midoffice_id'],
      ['a field that nobody knows', { order_id: 'x' }, 'order_id'],
    ])('whole, for one with %s, naming where it is', async (_name, wrong, field) => {
      const sender = await newSender(bellhop);
      const good = [newEvent(sender), newEvent(sender)] as const;
      const bad = newEvent(sender, wrong);
      const alone = await post(bad);
      expect([alone.status, alone.body.code]).toEqual([422, 'validation_failed']);
      expect(alone.body.errors).toMatchObject([{ field: `/${field}` }]);
      const among = await post({ events: [good[0], bad, good[1]] });
      expect([among.status, among.body.code]).toEqual([422, 'validation_failed']);
      expect(among.body.errors).toMatchObject([{ field: `/events/1/${field}` }]);
      expect(among.body.detail).toContain(`/events/1/${field}`);
      expect(await stored(good)).toEqual([false, false]);
    });

    test('whole, for an id that was used before with other content, and then nothing is stored', async () => {
      const sender = await newSender(bellhop);
      const first = newEvent(sender);
      await post(first);
      const other = { ...first, type: 'cancelled' };
      expect(await post(other)).toMatchObject({
        status: 409,
        body: { code: 'event_id_reused', errors: [{ field: '/event_id' }] },
      });
      const fresh = newEvent(sender);
      expect(await post({ events: [fresh, first, other] })).toMatchObject({
        status: 409,
        body: { code: 'event_id_reused', errors: [{ field: '/events/2/event_id' }] },
      });
      // Two within one request that are not alike.
      const twice = [newEvent(sender), { ...fresh, status: 'x' }, fresh];
      expect(await post({ events: twice })).toMatchObject({
        status: 409,
        body: { errors: [{ field: '/events/2/event_id' }] },
      });
      expect(await stored([fresh, twice[0] as object])).toEqual([false, false]);
    });

    test.each([
      ['one event beside a batch', (event: object) => ({ ...event, events: [event] })],
      ['a batch that is no list', (event: object) => ({ events: event })],
      ['a list', (event: object) => [event]],
      ['a text', () => 'event'],
      ['nothing', () => ({})],
    ])('as %s', async (_name, bodyOf) => {
      const event = newEvent(await newSender(bellhop));
      expect(await post(bodyOf(event))).toMatchObject({ status: 422 });
      expect(await stored([event])).toEqual([false]);
    });

    test('when the body is larger than any batch can be, or no JSON at all', async () => {
      const event = newEvent(await newSender(bellhop));
      const huge = JSON.stringify(event).replace('{', `{${' '.repeat(40 * 1_048_576)}`);
      const reply = await sendText(bellhop, huge);
      expect([reply.status, reply.body.code]).toEqual([413, 'body_too_large']);
      const broken = await sendText(bellhop, JSON.stringify(event).slice(1));
      expect([broken.status, broken.body.code]).toEqual([400, 'malformed_json']);
      expect(await stored([event])).toEqual([false]);
    });

    test('when the body is no UTF-8, which would be stored as something else', async () => {
      const event = newEvent(await newSender(bellhop), { status: 'pay\u00e9' });
      const latin1 = await sendText(bellhop, Buffer.from(JSON.stringify(event), 'latin1'));
      expect([latin1.status, latin1.body.code]).toEqual([400, 'malformed_json']);
      expect(await stored([event])).toEqual([false]);
    });

    test('from whoever may not report them', async () => {
      const event = newEvent(await newSender(bellhop));
      for (const [role, status] of [
        ['viewer', 403],
        ['support', 403],
        ['orders', 202],
        ['admin', 202],
      ] as const) {
        const { body } = await bellhop.support('POST', '/support/v1/tokens', { name: role, role });
        const reply = await post(event, body.token);
        expect([role, reply.status]).toEqual([role, status]);
        const list = await bellhop.support('GET', DELIVERIES, undefined, body.token);
        expect([role, list.status]).toEqual([role, role === 'orders' ? 403 : 200]);
      }
      expect((await post(event, 'no-such-token-0123456789')).status).toBe(401);
    });

    test('for an environment that is not served here', async () => {
      const event = newEvent(await newSender(bellhop));
      const path = '/orders/v1/sandbox/events';
      expect(await bellhop.support('POST', path, event)).toMatchObject({
        status: 404,
        body: { code: 'environment_not_found' },
      });
    });
  });
});

async function sendText({ addresses }: TestBellhop, text: string | Buffer<ArrayBuffer>) {
  const reply = await fetch(addresses.backOffice + EVENTS, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` },
    body: text,
  });
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it expects.
  return { status: reply.status, body: (await reply.json()) as any };
}
