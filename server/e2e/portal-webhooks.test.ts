/** The webhooks that people at a partner see in the portal, and send again. */
import { expect, test } from 'vitest';
import { describePortal, newPerson, SUPPORT } from './portal-person.ts';

describePortal((bellhop) => {
  test('what was cancelled is counted, compared with what was expected, and sent again', async () => {
    const { order, idOf, get, send } = await newPerson(bellhop);
    const since = '2026-01-01T00:00:00Z';
    const recover = (body: object) => send('POST', 'midoffice/recovery', { since, ...body });
    for (const id of [await order('a'), await order('b')]) {
      await bellhop.support('POST', `${SUPPORT}/deliveries/${id}/cancel`);
    }
    expect((await recover({ dry_run: true })).body).toEqual({ requeued: 2 });
    expect(await recover({ expected: 3 })).toMatchObject({
      status: 409,
      body: { code: 'count_changed' },
    });
    const id = await idOf('a');
    expect((await recover({ expected: 2, limit: 1 })).body).toEqual({
      requeued: 1,
      remaining: 1,
      deliveries: [{ id, attempts_made: 0 }],
    });
    const { body } = await get(`deliveries?ids=${id}`);
    expect(body.items).toEqual([expect.objectContaining({ id, state: 'pending' })]);
    expect((await get('deliveries?ids=del_1')).body.items).toEqual([]);
    expect((await recover({ expected: 1 })).body).toEqual({ requeued: 1 });
    // Nobody delivers here, so they are due already.
    expect((await send('POST', 'midoffice/send-pending')).body).toEqual({ sent: 0 });
  });

  test('what a recovery would send is counted thirty times a minute', async () => {
    const { send } = await newPerson(bellhop);
    const count = () =>
      send('POST', 'midoffice/recovery', { since: '2026-01-01T00:00:00Z', dry_run: true });
    const counts = await Promise.all(Array.from({ length: 31 }, count));
    expect(counts.filter((reply) => reply.status === 200)).toHaveLength(30);
    expect(counts.filter((reply) => reply.status === 429)).toHaveLength(1);
    expect((await send('POST', 'midoffice/send-pending')).status).toBe(200);
  });

  test('a recovery that is refused is none of the ten a minute', async () => {
    const { send } = await newPerson(bellhop);
    const since = '2026-01-01T00:00:00Z';
    const recover = (body: object) => send('POST', 'midoffice/recovery', { since, ...body });
    const codesOf = async (replies: Promise<{ status: number; body: { code?: string } }>[]) =>
      (await Promise.all(replies)).map(({ status, body }) => body.code ?? status);
    const eleven = (body: object) => codesOf(Array.from({ length: 11 }, () => recover(body)));
    expect(new Set(await eleven({ until: '2025-01-01T00:00:00Z' }))).toEqual(
      new Set(['validation_failed']),
    );
    expect(new Set(await eleven({ expected: 1 }))).toEqual(new Set(['count_changed']));
    const sent = await eleven({});
    expect(sent.filter((one) => one === 200)).toHaveLength(10);
    expect(sent.filter((one) => one === 'too_many_portal_calls')).toHaveLength(1);
    // Comparing costs as much as counting, so it is counted as that.
    const compared = [...(await eleven({ expected: 1 })), ...(await eleven({ expected: 1 }))];
    expect(compared.filter((one) => one === 'count_changed')).toHaveLength(19);
    expect(compared.filter((one) => one === 'too_many_portal_calls')).toHaveLength(3);
  });

  test('webhooks are found, shown with their attempts and sent again, ten times a minute', async () => {
    const { order, idOf, get, send } = await newPerson(bellhop);
    await order('order 7');
    const id = await idOf('order 7');
    const { body } = await get('deliveries?partner_order_id=order%207');
    expect(body.items).toEqual([expect.objectContaining({ id, state: 'pending' })]);
    expect((await get('deliveries?state=exhausted')).body.items).toEqual([]);
    expect((await get('deliveries?partner_id=par_1')).status).toBe(422);
    expect((await get(`deliveries/${id}`)).body).toMatchObject({ id, attempts: [] });
    const retry = () => send('POST', `deliveries/${id}/retry`);
    const replies = await Promise.all(Array.from({ length: 12 }, retry));
    const held = replies.filter((reply) => reply.status === 429);
    expect(held).toHaveLength(2);
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(10);
    expect(held[0]?.body.code).toBe('too_many_portal_calls');
    const seconds = Number(held[0]?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await send('POST', 'midoffice/send-pending')).status).toBe(429);
    expect((await send('POST', 'midoffice/test-event')).status).toBe(200);
  });

  test('ids of webhooks do not count them, wherever they are', async () => {
    const { order, get, send } = await newPerson(bellhop);
    const supports = [await order('id 1'), await order('id 2'), await order('id 3')];
    const own: string[] = [];
    for (const query of ['', 'partner_order_id_prefix=id&']) {
      const pages: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { body } = await get(`deliveries?${query}limit=1${at}`);
        pages.push(...body.items.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
        expect(cursor ?? '').toMatch(/^(del_[0-9a-f]{32}(\.[\w-]+)?)?$/);
      }
      own.push(...pages);
    }
    const [third = '', second = '', first = ''] = own;
    expect(own).toEqual([third, second, first, third, second, first]);
    expect(new Set(own).size).toBe(3);
    const replies = [
      await get(`deliveries/${first}`),
      await send('POST', `deliveries/${first}/retry`),
      await get('home'),
      await get('deliveries'),
      await get('activity'),
    ];
    const [shown, retried, , , activity] = replies;
    expect([shown?.body.id, retried?.body.id]).toEqual([first, first]);
    expect(shown?.body.partner_order_id).toBe('id 1');
    expect(activity?.body.items[0]).toMatchObject({ action: 'delivery.retry', subject: first });
    for (const { status, body } of replies) {
      expect(status).toBe(200);
      for (const id of supports) expect(JSON.stringify(body)).not.toContain(`${id}"`);
      expect(JSON.stringify(body)).not.toMatch(/del_\d{1,15}\b/);
    }
    // What the portal had before, another's form of the id, and one that nobody was given.
    for (const id of [supports[0], first.toUpperCase(), `del_${'0'.repeat(32)}`, 'del_']) {
      expect((await get(`deliveries/${id}`)).body.code).toBe('delivery_not_found');
    }
    for (const cursor of [supports[0], `del_${'0'.repeat(32)}`]) {
      expect((await get(`deliveries?cursor=${cursor}`)).status).toBe(422);
    }
    // A partner quotes the id that it sees.
    const { body } = await bellhop.support('GET', `${SUPPORT}/search?q=${first}`);
    expect(body.items).toMatchObject([{ kind: 'delivery', id: supports[0], title: 'id 1' }]);
  });
});
