/** Changes of many deliveries at once, the count before them, and the filters that choose them. */
import { describe, expect, test, vi } from 'vitest';
import { MOST_AT_ONCE } from '../src/store/queue/verbs.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import {
  DELIVERIES,
  describeWebhooksOnEachEngine,
  EVENTS,
  MIDOFFICES,
  newEvent,
  newSender,
  type Sender,
} from './webhook-bellhop.ts';

const WAITS_LONG = { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1h,1h' };
const AUDIT = '/support/v1/production/audit';

describeWebhooksOnEachEngine('many deliveries at once', WAITS_LONG, (bellhop) => {
  const { support } = bellhop;

  async function send(sender: Sender, orders: readonly string[]): Promise<string[]> {
    const events = orders.map((partner_order_id) => newEvent(sender, { partner_order_id }));
    const { body } = await support('POST', EVENTS, { events });
    return body.results.map((result: { delivery_id: string }) => result.delivery_id);
  }

  /** Resolves once the first attempt of each has failed and they wait for their retry. */
  async function failed(sender: Sender, orders: readonly string[]): Promise<string[]> {
    const ids = await send(sender, orders);
    await vi.waitFor(async () => {
      const { body } = await support('GET', `${MIDOFFICES}/${sender.midofficeId}`);
      expect(body).toMatchObject({ pending: orders.length, waiting: orders.length });
    }, 60_000);
    return ids;
  }

  const bulk = (action: string, filter: object, expected: number) =>
    support('POST', `${DELIVERIES}/bulk`, { action, filter, expected });
  const count = async (query: string) =>
    (await support('GET', `${DELIVERIES}/count?${query}`)).body;
  const orders = (length: number, prefix = 'order') =>
    Array.from({ length }, (_, n) => `${prefix}-${n}`);
  const allDelivered = (sender: Sender, number: number) =>
    vi.waitFor(async () => {
      const { by_state } = await count(`midoffice_id=${sender.midofficeId}`);
      expect(by_state).toMatchObject({ delivered: number, pending: 0 });
    }, 60_000);

  describe('sending what waits for a midoffice', () => {
    test('in parts, the oldest first, names what was sent, and the list shows what became of it', async () => {
      const receiver = await startReceiver(status(503));
      const sender = await newSender(bellhop, receiver.url);
      const ids = await failed(sender, orders(3));
      receiver.answer = status(200);
      const path = `${MIDOFFICES}/${sender.midofficeId}`;
      const named = (some: string[]) => some.map((id) => ({ id, attempts_made: 1 }));
      const listed = async (some: string[]) =>
        (await support('GET', `${DELIVERIES}?ids=${some}`)).body.items;

      const first = await support('POST', `${path}/send-pending?limit=1`);
      expect(first.body).toEqual({ sent: 1, deliveries: named(ids.slice(0, 1)) });
      await vi.waitFor(async () => {
        const [one, ...more] = await listed(ids.slice(0, 1));
        expect(one).toMatchObject({ id: ids[0], state: 'delivered', attempts_made: 2 });
        expect(more).toEqual([]);
      }, 60_000);
      const [, second = ''] = ids;
      const filter = { midoffice_id: sender.midofficeId, only: 'undelivered' };
      const retry = { action: 'retry', filter, expected: 2, limit: 1 };
      const retried = await support('POST', `${DELIVERIES}/bulk`, retry);
      expect(retried.body).toEqual({ changed: 1, deliveries: named([second]) });
      expect((await listed(ids)).map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
      expect(await listed(['nothing'])).toEqual([]);
      const last = await support('POST', `${path}/send-pending?limit=2&after=${second}`);
      expect(last.body).toEqual({ sent: 1, deliveries: named(ids.slice(2)) });
      const unknown = await support('POST', `${path}/send-pending?after=nothing`);
      expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, 'after']);
      const none = await support('POST', `${path}/send-pending?limit=0`);
      expect([none.status, none.body.detail]).toEqual([
        422,
        'limit must be a whole number of at least 1.',
      ]);
      const many = Array.from({ length: 101 }, () => ids[0] ?? '');
      const refused = await support('GET', `${DELIVERIES}?ids=${many}`);
      expect([refused.status, refused.body.errors[0].detail]).toEqual([
        422,
        'must be at most 100 ids',
      ]);
    });

    test('sends it now, uses no step of the schedule, and is one audit entry', async () => {
      const receiver = await startReceiver(status(503));
      const sender = await newSender(bellhop, receiver.url);
      const [id] = await failed(sender, orders(7));
      const path = `${MIDOFFICES}/${sender.midofficeId}`;
      const before = (await support('GET', `${DELIVERIES}/${id}`)).body;
      expect(before).toMatchObject({ last_status_code: 503, last_failure_code: 'status' });

      // The receiver is still down: each is tried once and waits for its scheduled attempt again.
      const vain = await support('POST', `${path}/send-pending`);
      expect([vain.status, vain.body]).toEqual([200, { sent: 7 }]);
      await receiver.came(14);
      await vi.waitFor(async () => {
        const after = (await support('GET', `${DELIVERIES}/${id}`)).body;
        expect(after).toMatchObject({
          attempts_made: 2,
          next_attempt_at: before.next_attempt_at,
        });
        expect(after.future_attempts).toHaveLength(before.future_attempts.length);
      }, 60_000);

      receiver.answer = status(200);
      const isWaiting = async () =>
        expect((await support('GET', path)).body).toMatchObject({ waiting: 7 });
      await vi.waitFor(isWaiting, 60_000);
      expect((await support('POST', `${path}/send-pending`)).body).toEqual({ sent: 7 });
      await allDelivered(sender, 7);
      expect((await support('POST', `${path}/send-pending`)).body).toEqual({ sent: 0 });
      const query = `subject=${sender.midofficeId}&action=midoffice.send_pending`;
      const { items } = (await support('GET', `${AUDIT}?${query}`)).body;
      expect(items.map(({ after }: { after: object }) => after)).toEqual([
        { sent: 0, done: true },
        { sent: 7, done: true },
        { sent: 7, done: true },
      ]);
    });

    test('keeps the order of an order, and waits while the midoffice is paused', async () => {
      const receiver = await startReceiver(status(503));
      const sender = await newSender(bellhop, receiver.url, { delivery_order: 'per_order' });
      const path = `${MIDOFFICES}/${sender.midofficeId}`;
      const types = ['created', 'updated', 'cancelled'];
      const events = types.map((type) => newEvent(sender, { type, partner_order_id: 'same' }));
      await support('POST', EVENTS, { events });
      const isWaiting = async () =>
        expect((await support('GET', path)).body).toMatchObject({ pending: 3, waiting: 1 });
      await vi.waitFor(isWaiting, 60_000);
      await support('PATCH', path, { paused: true });
      receiver.received.length = 0;
      receiver.answer = status(200);
      expect((await support('POST', `${path}/send-pending`)).body).toEqual({ sent: 1 });
      expect(receiver.received).toEqual([]);
      await support('PATCH', path, { paused: false });
      await allDelivered(sender, 3);
      expect(receiver.received.map(({ json }) => json.data.type)).toEqual(types);
    });

    test('a midoffice that does not exist is 404', async () => {
      const { status: code, body } = await support('POST', `${MIDOFFICES}/mid_none/send-pending`);
      expect([code, body.code]).toEqual([404, 'midoffice_not_found']);
    });
  });

  describe('a bulk change', () => {
    test('retries everything that the filter finds, in one audit entry', async () => {
      const receiver = await startReceiver(status(500));
      const sender = await newSender(bellhop, receiver.url);
      // More than a transaction changes, and more than a request brings.
      const most = Math.max(...Object.values(MOST_AT_ONCE));
      const number = most + 103;
      await failed(sender, orders(most, 'a'));
      await send(sender, orders(number - most, 'b'));
      await vi.waitFor(async () => {
        const { body } = await support('GET', `${MIDOFFICES}/${sender.midofficeId}`);
        expect(body.waiting).toBe(number);
      }, 60_000);
      receiver.answer = status(200);
      const filter = { midoffice_id: sender.midofficeId, state: 'pending', status_class: '5xx' };
      const found = await count(new URLSearchParams(filter).toString());
      expect(found).toMatchObject({ count: number, has_more: false });
      const { status: code, body } = await bulk('retry', filter, number);
      expect([code, body]).toEqual([200, { changed: number }]);
      await allDelivered(sender, number);
      const { items } = (await support('GET', `${AUDIT}?action=deliveries.retry&limit=5`)).body;
      const ours = items.filter(
        ({ after }: { after: { filter: { midoffice_id?: string } } }) =>
          after.filter.midoffice_id === sender.midofficeId,
      );
      expect(ours).toMatchObject([
        {
          subject: 'deliveries',
          after: { filter, expected: number, changed: number, done: true },
        },
      ]);
    }, 60_000);

    test('cancels a selection, and leaves alone what is settled', async () => {
      const receiver = await startReceiver();
      const sender = await newSender(bellhop, receiver.url);
      const [delivered = ''] = await send(sender, ['first']);
      await allDelivered(sender, 1);
      receiver.answer = status(500);
      await send(sender, ['kept', 'gone-1', 'gone-2']);
      await vi.waitFor(async () => {
        const { body } = await support('GET', `${MIDOFFICES}/${sender.midofficeId}`);
        expect(body.waiting).toBe(3);
      }, 60_000);
      const { items } = (
        await support('GET', `${DELIVERIES}?midoffice_id=${sender.midofficeId}&state=pending`)
      ).body;
      const ids = [delivered, items[0].id, items[1].id];
      expect((await bulk('cancel', { ids }, 3)).body).toEqual({ changed: 2 });
      expect((await count(`midoffice_id=${sender.midofficeId}`)).by_state).toEqual({
        pending: 1,
        delivered: 1,
        exhausted: 0,
        cancelled: 2,
        unrouted: 0,
      });
    });

    test('another number than expected is 409 count_changed and changes nothing', async () => {
      const receiver = await startReceiver(status(500));
      const sender = await newSender(bellhop, receiver.url);
      await failed(sender, orders(3));
      const filter = { midoffice_id: sender.midofficeId };
      for (const expected of [0, 2, 4]) {
        const { status: code, body } = await bulk('cancel', filter, expected);
        expect([code, body.code]).toEqual([409, 'count_changed']);
        expect(body.detail).toContain('finds 3 deliveries now');
      }
      expect(await count(`midoffice_id=${sender.midofficeId}&state=pending`)).toMatchObject({
        count: 3,
      });
      const { items } = (await support('GET', `${AUDIT}?action=deliveries.cancel&limit=200`)).body;
      expect(JSON.stringify(items)).not.toContain(sender.midofficeId);
    });

    test('sends unrouted events of a partner that has a midoffice now, and skips the others', async () => {
      const receiver = await startReceiver();
      const { partnerId } = await bellhop.newKey('production');
      await send({ partnerId } as Sender, ['lost-1', 'lost-2']);
      const filter = { partner_id: partnerId, state: 'unrouted' };
      expect((await bulk('retry', filter, 2)).body).toEqual({ changed: 0 });
      const sender = await newSender(bellhop, receiver.url);
      await support('PATCH', `/support/v1/production/partners/${partnerId}`, {
        midoffice_id: sender.midofficeId,
      });
      // Null counts as absent.
      expect((await bulk('retry', { ...filter, ids: null }, 2)).body).toEqual({ changed: 2 });
      await receiver.came(2);
    });

    test.each([
      [{ action: 'delete', filter: {}, expected: 0 }, '/action'],
      [{ action: 'retry', expected: 0 }, '/filter'],
      [{ action: 'retry', filter: {} }, '/expected'],
      [{ action: 'retry', filter: { stat: 'pending' }, expected: 0 }, '/filter/stat'],
      [{ action: 'retry', filter: { status_class: '6xx' }, expected: 0 }, '/filter/status_class'],
      [{ action: 'retry', filter: { ids: [] }, expected: 0 }, '/filter/ids'],
    ])('%j is 422', async (input, field) => {
      const { status: code, body } = await support('POST', `${DELIVERIES}/bulk`, input);
      expect([code, body.code]).toEqual([422, 'validation_failed']);
      expect(body.errors[0].field).toBe(field);
    });
  });

  describe('the list', () => {
    test('names the partner and the midoffice, and how the last attempt ended', async () => {
      const receiver = await startReceiver(status(404));
      const sender = await newSender(bellhop, receiver.url, { name: 'Down the road' });
      await failed(sender, ['one']);
      const { items } = (await support('GET', `${DELIVERIES}?midoffice_id=${sender.midofficeId}`))
        .body;
      const partner = (await support('GET', `/support/v1/production/partners/${sender.partnerId}`))
        .body;
      expect(items).toMatchObject([
        {
          partner_name: partner.name,
          midoffice_name: 'Down the road',
          last_status_code: 404,
          last_failure_code: 'status',
        },
      ]);
    });

    test('finds by the beginning of the order id, a page at a time', async () => {
      const sender = await newSender(bellhop, 'http://127.0.0.1:9/hook');
      await support('PATCH', `${MIDOFFICES}/${sender.midofficeId}`, { paused: true });
      await send(sender, [...orders(5, 'PRE/x'), 'PRE', 'OTHER']);
      const found: string[] = [];
      let cursor = '';
      do {
        const query = `partner_order_id_prefix=${encodeURIComponent('PRE/')}&limit=2${cursor}`;
        const { body } = await support('GET', `${DELIVERIES}?${query}`);
        found.push(...body.items.map((one: { partner_order_id: string }) => one.partner_order_id));
        cursor = body.next_cursor && `&cursor=${encodeURIComponent(body.next_cursor)}`;
      } while (cursor);
      expect(found).toEqual(orders(5, 'PRE/x').reverse());
      expect(await count('partner_order_id_prefix=PRE')).toMatchObject({ count: 6 });
    });

    test('finds by failure code and status class', async () => {
      const receiver = await startReceiver(status(502));
      const answers = await newSender(bellhop, receiver.url);
      const refuses = await newSender(bellhop, 'http://127.0.0.1:9/hook');
      const [five = ''] = await failed(answers, ['five']);
      const [refused = ''] = await failed(refuses, ['refused']);
      const idsOf = async (query: string) => {
        const { body } = await support('GET', `${DELIVERIES}?${query}&limit=200`);
        return body.items.map(({ id }: { id: string }) => id);
      };
      expect(await idsOf('status_class=5xx')).toContain(five);
      expect(await idsOf('status_class=5xx')).not.toContain(refused);
      expect(await idsOf('status_class=no_answer')).toContain(refused);
      expect(await idsOf('failure_code=connection_refused')).toContain(refused);
      expect(await idsOf('failure_code=status')).toContain(five);
      expect((await support('GET', `${DELIVERIES}?failure_code=nonsense`)).status).toBe(422);
    });
  });
});
