import { describe, expect, test } from 'vitest';
import type { SupportReply, TestBellhop } from '../testing/bellhop.ts';
import {
  DELIVERIES,
  describeWebhooksOnEachEngine,
  EVENTS,
  newEvent,
  newSender,
  postText,
  sharedWebhooks,
  WITHOUT_DELIVERY,
} from './webhook-bellhop.ts';

type Post = (body: unknown, token?: string) => Promise<SupportReply>;
const posting =
  (bellhop: TestBellhop): Post =>
  (body, token) =>
    bellhop.support('POST', EVENTS, body, token);

/** Whether each event is stored, found out by posting it again: then it is a duplicate. */
async function stored(post: Post, events: readonly object[]): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (const event of events) {
    outcomes.push((await post(event)).body.results[0].outcome === 'duplicate');
  }
  return outcomes;
}

/** A whole batch is refused for one event, with its index and field. */
async function expectRefused(bellhop: TestBellhop, wrong: object, field: string): Promise<void> {
  const post = posting(bellhop);
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
  expect(await stored(post, good)).toEqual([false, false]);
}

// Only these depend on what is stored.
describeWebhooksOnEachEngine('order events are refused', WITHOUT_DELIVERY, (bellhop) => {
  const post = posting(bellhop);

  test.each<[string, object, string]>([
    ['an unknown partner', { partner_id: 'par_none' }, 'partner_id'],
    ['an unknown midoffice', { midoffice_id: 'mid_none' }, 'midoffice_id'],
  ])('as a whole if one has %s, with the index and field', (_name, wrong, field) =>
    expectRefused(bellhop, wrong, field),
  );

  test('as a whole if an id was used before with different content', async () => {
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
    // Two events with one id and different content, in one request.
    const twice = [newEvent(sender), { ...fresh, status: 'x' }, fresh];
    expect(await post({ events: twice })).toMatchObject({
      status: 409,
      body: { errors: [{ field: '/events/2/event_id' }] },
    });
    expect(await stored(post, [fresh, twice[0] as object])).toEqual([false, false]);
  });
});

describe('order events are refused', () => {
  const bellhop = sharedWebhooks(WITHOUT_DELIVERY);
  const post = posting(bellhop);

  test.each([
    ['no events', { events: [] }],
    ['1,001 events', { events: Array.from({ length: 1_001 }, () => newEvent({ partnerId: 'x' })) }],
  ])('as a batch of %s', async (_name, body) => {
    expect(await post(body)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field: '/events' }] },
    });
  });

  test.each<[string, object, string]>([
    ['no id', { event_id: undefined }, 'event_id'],
    ['an empty id', { event_id: '' }, 'event_id'],
    ['an id that is not text', { event_id: 7 }, 'event_id'],
    ['no type', { type: undefined }, 'type'],
    ['an unknown type', { type: 'deleted' }, 'type'],
    ['a type in capitals', { type: 'Created' }, 'type'],
    ['no partner', { partner_id: undefined }, 'partner_id'],
    ['a partner with a NUL', { partner_id: 'par\0' }, 'partner_id'],
    ['a partner with a lone surrogate', { partner_id: 'par\ud800' }, 'partner_id'],
    ['no order', { partner_order_id: undefined }, 'partner_order_id'],
    ['an empty order', { partner_order_id: '' }, 'partner_order_id'],
    ['an order that is null', { partner_order_id: null }, 'partner_order_id'],
    ['an order with a NUL', { partner_order_id: 'a\0b' }, 'partner_order_id'],
    ['an order with a lone surrogate', { partner_order_id: 'a\ud83e' }, 'partner_order_id'],
    ['an id with a NUL', { event_id: '\0' }, 'event_id'],
    ['an id with a lone surrogate', { event_id: '\udfff' }, 'event_id'],
    ['an agreement number with a NUL', { agreement_number: '\0' }, 'agreement_number'],
    ['an agreement number that is a number', { agreement_number: 7 }, 'agreement_number'],
    ['a status with a lone surrogate', { status: '\ud800' }, 'status'],
    ['a status that is not text', { status: { paid: true } }, 'status'],
    ['a midoffice with a NUL', { midoffice_id: 'mid\0' }, 'midoffice_id'],
    ['a midoffice that is a number', { midoffice_id: 7 }, 'midoffice_id'],
    ['an unknown field', { order_id: 'x' }, 'order_id'],
  ])('as a whole if one has %s, with the index and field', (_name, wrong, field) =>
    expectRefused(bellhop, wrong, field),
  );

  test.each([
    ['one event beside a batch', (event: object) => ({ ...event, events: [event] })],
    ['a batch that is not a list', (event: object) => ({ events: event })],
    ['a list', (event: object) => [event]],
    ['a text', () => 'event'],
    ['nothing', () => ({})],
  ])('as %s', async (_name, bodyOf) => {
    const event = newEvent(await newSender(bellhop));
    expect(await post(bodyOf(event))).toMatchObject({ status: 422 });
    expect(await stored(post, [event])).toEqual([false]);
  });

  test('if the body is larger than any batch can be, or is not JSON', async () => {
    const event = newEvent(await newSender(bellhop));
    const huge = JSON.stringify(event).replace('{', `{${' '.repeat(40 * 1_048_576)}`);
    const reply = await postText(bellhop, huge);
    expect([reply.status, reply.body.code]).toEqual([413, 'body_too_large']);
    const broken = await postText(bellhop, JSON.stringify(event).slice(1));
    expect([broken.status, broken.body.code]).toEqual([400, 'malformed_json']);
    expect(await stored(post, [event])).toEqual([false]);
  });

  test('if the body is not UTF-8, which would change the stored text', async () => {
    const event = newEvent(await newSender(bellhop), { status: 'pay\u00e9' });
    const latin1 = await postText(bellhop, Buffer.from(JSON.stringify(event), 'latin1'));
    expect([latin1.status, latin1.body.code]).toEqual([400, 'malformed_json']);
    expect(await stored(post, [event])).toEqual([false]);
  });

  test('from roles that may not report them', async () => {
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

  test('for an environment that this process does not serve', async () => {
    const event = newEvent(await newSender(bellhop));
    const path = '/orders/v1/sandbox/events';
    expect(await bellhop.support('POST', path, event)).toMatchObject({
      status: 404,
      body: { code: 'environment_not_found' },
    });
  });
});
