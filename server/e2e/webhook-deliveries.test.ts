import { beforeAll, describe, expect, test, vi } from 'vitest';
import { startReceiver, status, type WebhookReceiver } from '../testing/webhook-receiver.ts';
import {
  DELIVERIES,
  describeWebhooksOnEachEngine,
  EVENTS,
  MIDOFFICES,
  newEvent,
  newSender,
  type Sender,
  sharedWebhooks,
} from './webhook-bellhop.ts';

const ONE_TRY = { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1ms' };

interface Shown {
  id: string;
  event_id: string;
  state: string;
  accepted_at: string;
  partner_order_id: string;
}

describeWebhooksOnEachEngine('deliveries', ONE_TRY, (bellhop) => {
  const { support } = bellhop;
  let receiver: WebhookReceiver;
  let one: Sender;
  let two: Sender;
  /** Newest first, like the lists. */
  let all: Shown[];

  /** Sender one: delivered, exhausted, cancelled and pending (paused), of each type. Sender two: one delivered. */
  beforeAll(async () => {
    receiver = await startReceiver(
      (webhook, response, request) =>
        status(webhook.orderId.startsWith('bad') ? 500 : 200)(webhook, response, request),
      { atEnd: () => {} },
    );
    one = await newSender(bellhop, receiver.url);
    two = await newSender(bellhop, receiver.url);
    const types = ['created', 'updated', 'cancelled'];
    await send(types.map((type) => newEvent(one, { type, partner_order_id: `good ${type}` })));
    await send(types.map((type) => newEvent(one, { type, partner_order_id: `bad ${type}` })));
    await send([newEvent(two, { partner_order_id: 'good created' })]);
    await vi.waitFor(async () => expect(await list('state=pending')).toEqual([]), 15_000);
    await support('PATCH', `${MIDOFFICES}/${one.midofficeId}`, { paused: true });
    const waiting = types.map((type) => newEvent(one, { type, partner_order_id: `wait ${type}` }));
    await send(waiting);
    const stopped = types.map((type) => newEvent(one, { type, partner_order_id: `stop ${type}` }));
    for (const id of await send(stopped)) await support('POST', `${DELIVERIES}/${id}/cancel`);
    all = await list('limit=200');
    return () => receiver.close();
  });

  async function send(events: object[]): Promise<string[]> {
    const { body } = await support('POST', EVENTS, { events });
    return body.results.map((result: { delivery_id: string }) => result.delivery_id);
  }

  async function list(query: string): Promise<Shown[]> {
    const { status: code, body } = await support('GET', `${DELIVERIES}?${query}`);
    expect([query, code]).toEqual([query, 200]);
    return body.items;
  }

  const names = (items: readonly Shown[]) => items.map((item) => item.partner_order_id);

  describe('are found', () => {
    test('newest first, with their state', () => {
      expect(all.map((item) => [item.partner_order_id, item.state])).toEqual([
        ['stop cancelled', 'cancelled'],
        ['stop updated', 'cancelled'],
        ['stop created', 'cancelled'],
        ['wait cancelled', 'pending'],
        ['wait updated', 'pending'],
        ['wait created', 'pending'],
        ['good created', 'delivered'],
        ['bad cancelled', 'exhausted'],
        ['bad updated', 'exhausted'],
        ['bad created', 'exhausted'],
        ['good cancelled', 'delivered'],
        ['good updated', 'delivered'],
        ['good created', 'delivered'],
      ]);
    });

    test('by every filter, alone and combined', async () => {
      type Filter = [string, (item: Record<string, string>) => boolean];
      const filters: Filter[][] = [
        ['pending', 'delivered', 'exhausted', 'cancelled'].map((state) => [
          `state=${state}`,
          (item) => item.state === state,
        ]),
        [
          [`midoffice_id=${one.midofficeId}`, (item) => item.midoffice_id === one.midofficeId],
          [`midoffice_id=${two.midofficeId}`, (item) => item.midoffice_id === two.midofficeId],
          ['midoffice_id=mid_none', () => false],
        ],
        [
          [`partner_id=${one.partnerId}`, (item) => item.partner_id === one.partnerId],
          ['partner_id=par_none', () => false],
        ],
        [
          ['partner_order_id=good%20created', (item) => item.partner_order_id === 'good created'],
          ['partner_order_id=good', () => false],
        ],
        [['type=created', (item) => item.type === 'created']],
        [
          ['since=2020-01-01T00:00:00Z', () => true],
          ['since=2999-01-01T00:00:00Z', () => false],
        ],
        [
          ['until=2999-01-01T00:00:00Z', () => true],
          ['until=2020-01-01T00:00:00Z', () => false],
        ],
      ];
      // Each value alone, and with each value of every other filter.
      const asked = filters.flatMap((kind, n) => [
        ...kind.map((filter) => [filter]),
        ...kind.flatMap((filter) =>
          filters
            .slice(n + 1)
            .flat()
            .map((other) => [filter, other]),
        ),
      ]);
      for (const combination of asked) {
        const query = combination.map(([text]) => text).join('&');
        const expected = all.filter((item) =>
          combination.every(([, holds]) => holds(item as unknown as Record<string, string>)),
        );
        expect([query, names(await list(`limit=200&${query}`))]).toEqual([query, names(expected)]);
      }
      const every = filters.map((kind) => kind[0]?.[0]).join('&');
      expect(await list(every.replace('state=pending', 'state=delivered'))).toMatchObject([
        { partner_order_id: 'good created', midoffice_id: one.midofficeId },
      ]);
    });

    test('between two times, both included', async () => {
      const [first, last] = [all.at(-1)?.accepted_at, all[0]?.accepted_at] as [string, string];
      expect(await list(`since=${first}&until=${last}&limit=200`)).toHaveLength(all.length);
      const before = new Date(Date.parse(first) - 1).toISOString();
      expect(await list(`until=${before}`)).toEqual([]);
      const after = new Date(Date.parse(last) + 1).toISOString();
      expect(await list(`since=${after}`)).toEqual([]);
      const zoned = encodeURIComponent(first.replace('Z', '+00:00'));
      expect(await list(`since=${zoned}&limit=200`)).toHaveLength(all.length);
    });

    test.each(['', '&state=delivered', '&type=updated', '&since=2020-01-01T00:00:00Z'])(
      'page by page, each exactly once%s',
      async (filter) => {
        const expected = await list(`limit=200${filter}`);
        const walked: Shown[] = [];
        let cursor: string | null = null;
        do {
          const at: string = cursor === null ? '' : `&cursor=${cursor}`;
          const { body } = await support('GET', `${DELIVERIES}?limit=3${filter}${at}`);
          expect(body.items.length).toBeLessThanOrEqual(3);
          walked.push(...body.items);
          cursor = body.next_cursor;
        } while (cursor !== null);
        expect(names(walked)).toEqual(names(expected));
        expect(expected.length).toBeGreaterThan(3);
      },
    );
  });

  test('that do not exist get 404', async () => {
    const next = Number(all[0]?.id.slice(4)) + 1;
    for (const id of ['del_0', 'del_', 'x', 'del_01', 'del_1e3', `del_${2 ** 60}`, `del_${next}`]) {
      for (const [method, suffix] of [
        ['GET', ''],
        ['POST', '/retry'],
        ['POST', '/cancel'],
      ] as const) {
        const reply = await support(method, `${DELIVERIES}/${id}${suffix}`);
        expect([id, suffix, reply.status, reply.body.code]).toEqual([
          id,
          suffix,
          404,
          'delivery_not_found',
        ]);
      }
    }
  });

  test('are shown with their attempts, retried and cancelled, and each change is audited', async () => {
    const sender = await newSender(bellhop, receiver.url);
    const [id] = (await send([newEvent(sender, { partner_order_id: 'bad luck' })])) as [string];
    const show = async () => (await support('GET', `${DELIVERIES}/${id}`)).body;
    const settled = (state: string) => expect.poll(async () => (await show()).state).toBe(state);
    await settled('exhausted');
    expect((await show()).attempts).toMatchObject([
      { number: 1, outcome: 'failed', status_code: 500 },
      { number: 2, outcome: 'failed', status_code: 500 },
    ]);
    expect(await support('POST', `${DELIVERIES}/${id}/cancel`)).toMatchObject({
      status: 409,
      body: { code: 'delivery_settled', detail: expect.stringContaining('exhausted') },
    });

    await support('PATCH', `${MIDOFFICES}/${sender.midofficeId}`, { paused: true });
    const retried = await support('POST', `${DELIVERIES}/${id}/retry`);
    expect(retried).toMatchObject({
      status: 200,
      body: { id, state: 'pending', settled_at: null },
    });
    expect(await support('POST', `${DELIVERIES}/${id}/cancel`)).toMatchObject({
      status: 200,
      body: { id, state: 'cancelled' },
    });
    // Repeating it is harmless.
    expect((await support('POST', `${DELIVERIES}/${id}/cancel`)).status).toBe(200);
    await support('POST', `${DELIVERIES}/${id}/retry`);
    await support('PATCH', `${MIDOFFICES}/${sender.midofficeId}`, { paused: false });
    await settled('exhausted');
    expect((await show()).attempts).toHaveLength(4);

    const { body } = await support('GET', `/support/v1/production/audit?subject=${id}`);
    expect(
      body.items.map(({ action, before, after }: Record<string, { state: string }>) => [
        action,
        before?.state,
        after?.state,
      ]),
    ).toEqual([
      ['delivery.retry', 'cancelled', 'pending'],
      ['delivery.cancel', 'pending', 'cancelled'],
      ['delivery.retry', 'exhausted', 'pending'],
    ]);
  });

  test('can be changed only by the right roles', async () => {
    for (const role of ['viewer', 'orders']) {
      const { token } = (await support('POST', '/support/v1/tokens', { name: role, role })).body;
      for (const verb of ['retry', 'cancel']) {
        const path = `${DELIVERIES}/${all[0]?.id}/${verb}`;
        expect((await support('POST', path, undefined, token)).status).toBe(403);
      }
    }
  });
});

// What the schema refuses, no engine sees.
describe('deliveries', () => {
  const bellhop = sharedWebhooks(ONE_TRY);

  test.each([
    'state=open',
    'state=unknown',
    'type=deleted',
    'since=yesterday',
    'since=2026-01-31',
    'until=1700000000',
    'since=2016-12-31T23:59:60Z',
    'until=2016-12-31T23:59:60Z',
    'limit=0',
    'limit=201',
    'cursor=x',
    'cursor=del_0',
    'cursor=del_1.5',
    'cursor=del_99999999999999999',
    'partner_order_id=%00',
    'midoffice_id=%00',
    'order=asc',
    'state=pending&state=delivered',
  ])('cannot be searched with %s', async (query) => {
    expect(await bellhop.support('GET', `${DELIVERIES}?${query}`)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed' },
    });
  });
});
