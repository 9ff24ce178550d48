import { describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
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

const AGES_AGO = '2020-01-01T00:00:00Z';
const LATER = { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1h,2h' };
const NEVER = { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1ms' };

describeWebhooksOnEachEngine('a delivery', LATER, (bellhop) => {
  async function deliver(sender: Sender, more: object = {}): Promise<string> {
    const { body } = await bellhop.support('POST', EVENTS, newEvent(sender, more));
    return body.results[0].delivery_id;
  }

  const show = async (id: string) => (await bellhop.support('GET', `${DELIVERIES}/${id}`)).body;
  const attempted = (id: string, times = 1) =>
    eventually(
      () => show(id),
      ({ attempts_made, in_flight }) => attempts_made >= times && !in_flight,
    );

  test('gives the reason for a failure and the times of the next attempts', async () => {
    const receiver = await startReceiver(status(401, 'who are you?'));
    const delivery = await attempted(await deliver(await newSender(bellhop, receiver.url)));
    expect(delivery.why).toMatch(/^The receiver answered 401: .*API key.*\.$/);
    const [next, last] = delivery.future_attempts.map(Date.parse);
    expect(delivery.future_attempts).toHaveLength(2);
    expect(delivery.future_attempts[0]).toBe(delivery.next_attempt_at);
    expect(last - next).toBe(2 * 3_600_000);
  });

  test('says that nothing listens at the address', async () => {
    const delivery = await attempted(await deliver(await newSender(bellhop)));
    expect(delivery.why).toMatch(/nothing listens/);
  });

  test('has neither a reason nor next attempts once it is delivered', async () => {
    const receiver = await startReceiver();
    const delivery = await attempted(await deliver(await newSender(bellhop, receiver.url)));
    expect(delivery).toMatchObject({ state: 'delivered', why: null, future_attempts: [] });
  });

  test('promises no automatic attempt after a failure while its midoffice is paused', async () => {
    const receiver = await startReceiver(status(503));
    const sender = await newSender(bellhop, receiver.url);
    const failed = await attempted(await deliver(sender));
    expect(failed.why).toMatch(/It is retried automatically\.$/);
    await bellhop.support('PATCH', `${MIDOFFICES}/${sender.midofficeId}`, { paused: true });
    expect((await show(failed.id)).why).toMatch(/once webhooks to this receiver are resumed/);
  });

  test('has no reason before the first attempt, and no next attempts while paused or once cancelled', async () => {
    const sender = await newSender(bellhop);
    await bellhop.support('PATCH', `${MIDOFFICES}/${sender.midofficeId}`, { paused: true });
    const id = await deliver(sender);
    expect(await show(id)).toMatchObject({ why: null, paused: true, future_attempts: [] });
    await bellhop.support('POST', `${DELIVERIES}/${id}/cancel`);
    expect(await show(id)).toMatchObject({ paused: false, future_attempts: [] });
  });

  test('shows each request as it was sent, except for the signatures', async () => {
    const receiver = await startReceiver();
    const sender = await newSender(bellhop, receiver.url, { body_form: 'both' });
    const event = { event_id: 'event ü', agreement_number: 'A-7', status: 'paid' };
    const id = await deliver(sender, event);
    const { attempts } = await attempted(id);
    const [webhook] = receiver.received;
    const { url, headers, body } = attempts[0].request;
    expect(url).toBe(receiver.url);
    expect(Object.keys(headers)).toHaveLength(5);
    for (const [name, value] of Object.entries(headers)) {
      const sent = webhook?.headers[name];
      if (name === 'webhook-signature') expect([value, sent]).toEqual(['v1,…', expect.any(String)]);
      else expect([name, value]).toEqual([name, sent]);
    }
    const { signature } = webhook?.json.signature ?? {};
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(body).toBe(webhook?.body.replace(signature, '…'));
    expect(JSON.stringify(await show(id))).not.toContain(signature);
  });

  test('still shows earlier requests as they were sent after the midoffice has changed', async () => {
    const before = await startReceiver(status(500));
    const after = await startReceiver();
    const sender = await newSender(bellhop, before.url, { body_form: 'flat' });
    const id = await deliver(sender);
    await attempted(id);
    const path = `${MIDOFFICES}/${sender.midofficeId}`;
    await bellhop.support('PATCH', path, { url: after.url });
    await bellhop.support('PATCH', path, { body_form: 'data' });
    await bellhop.support('POST', `${DELIVERIES}/${id}/retry`);
    const { attempts } = await attempted(id, 2);
    expect(attempts[0].request.url).toBe(before.url);
    expect(JSON.parse(attempts[0].request.body)).toHaveProperty('partner_order_id');
    expect(attempts[1].request.url).toBe(after.url);
    expect(JSON.parse(attempts[1].request.body)).toHaveProperty('data');
  });
});

describeWebhooksOnEachEngine('recovery', NEVER, (bellhop) => {
  async function exhausted(count: number) {
    const receiver = await startReceiver(status(500));
    const sender = await newSender(bellhop, receiver.url);
    const events = Array.from({ length: count }, () => newEvent(sender));
    await bellhop.support('POST', EVENTS, { events });
    await eventually(
      () => states(sender, 'exhausted'),
      (found) => found === count,
    );
    return { receiver, sender };
  }

  async function states({ midofficeId }: Sender, state: string): Promise<number> {
    const query = `midoffice_id=${midofficeId}&state=${state}&limit=200`;
    return (await bellhop.support('GET', `${DELIVERIES}?${query}`)).body.items.length;
  }

  const recover = ({ midofficeId }: Sender, body: object) =>
    bellhop.support('POST', `${MIDOFFICES}/${midofficeId}/recovery`, { since: AGES_AGO, ...body });

  const audited = async ({ midofficeId }: Sender) => {
    const path = `/support/v1/production/audit?subject=${midofficeId}&action=midoffice.recover`;
    return (await bellhop.support('GET', path)).body.items;
  };

  test('200: a dry run returns the exact count and changes nothing', async () => {
    const { sender } = await exhausted(7);
    const { status: code, body } = await recover(sender, { dry_run: true });
    expect([code, body]).toEqual([200, { requeued: 7 }]);
    expect((await recover(sender, { dry_run: true, until: AGES_AGO })).body).toEqual({
      requeued: 0,
    });
    expect(await states(sender, 'exhausted')).toBe(7);
    expect(await audited(sender)).toEqual([]);
  });

  test('200: requeues in steps, oldest first, until none remain', async () => {
    const { receiver, sender } = await exhausted(7);
    receiver.answer = status(200);
    const until = new Date().toISOString();
    const replies = [];
    for (let step = 0; step < 3; step++) {
      replies.push((await recover(sender, { limit: 3, until })).body);
    }
    const query = `midoffice_id=${sender.midofficeId}`;
    const { items } = (await bellhop.support('GET', `${DELIVERIES}?${query}`)).body;
    const oldestFirst = items.map(({ id }: { id: string }) => id).reverse();
    const named = (from: number, to: number) =>
      oldestFirst.slice(from, to).map((id: string) => ({ id, attempts_made: expect.any(Number) }));
    expect(replies).toEqual([
      { requeued: 3, remaining: 4, deliveries: named(0, 3) },
      { requeued: 3, remaining: 1, deliveries: named(3, 6) },
      { requeued: 1, remaining: 0, deliveries: named(6, 7) },
    ]);
    await eventually(
      () => states(sender, 'delivered'),
      (delivered) => delivered === 7,
    );
    // One recovery is one entry, however many steps it took.
    expect(await audited(sender)).toMatchObject([{ after: { requeued: 7, until } }]);
  });

  test('200: requeues everything at once without a limit', async () => {
    const { sender } = await exhausted(2);
    expect((await recover(sender, {})).body).toEqual({ requeued: 2 });
  });

  describe('after its partner was given another midoffice', () => {
    /** With what was exhausted at the old one, and what was asked to go there by name. */
    async function moved(count: number) {
      const { receiver: old, sender } = await exhausted(count);
      const named = await bellhop.support(
        'POST',
        EVENTS,
        newEvent(sender, { midoffice_id: sender.midofficeId }),
      );
      await eventually(
        () => states(sender, 'exhausted'),
        (found) => found === count + 1,
      );
      const list = await bellhop.support('GET', `${DELIVERIES}?partner_id=${sender.partnerId}`);
      const receiver = await startReceiver();
      const { body } = await bellhop.support('POST', MIDOFFICES, {
        ...{ name: 'New midoffice', url: receiver.url, signing_key_id: sender.keyId },
        delivery_order: 'per_order',
      });
      const partner = `/support/v1/production/partners/${sender.partnerId}`;
      await bellhop.support('PATCH', partner, { midoffice_id: body.id });
      const namedId = named.body.results[0].delivery_id as string;
      const ids = (list.body.items as { id: string }[])
        .map(({ id }) => id)
        .filter((id) => id !== namedId);
      const before = old.received.length;
      return {
        ...{ sender, ids, namedId, receiver },
        now: { ...sender, midofficeId: body.id as string },
        atTheOld: () => old.received.length - before,
      };
    }

    const show = async (id: string) => (await bellhop.support('GET', `${DELIVERIES}/${id}`)).body;
    const deliveredTo = (sender: Sender, count: number) =>
      eventually(
        () => states(sender, 'delivered'),
        (delivered) => delivered === count,
      );

    test('200: one that is sent again goes to the new one, and its attempts stay', async () => {
      const { sender, now, ids, namedId, receiver, atTheOld } = await moved(1);
      const [id] = ids as [string];
      const before = await show(id);
      expect(before).toMatchObject({
        midoffice_id: sender.midofficeId,
        sends_to: { id: now.midofficeId, name: 'New midoffice' },
      });
      expect((await show(namedId)).sends_to.id).toBe(sender.midofficeId);
      const { body } = await bellhop.support('POST', `${DELIVERIES}/${id}/retry`);
      expect(body.midoffice_id).toBe(now.midofficeId);
      await deliveredTo(now, 1);
      const { attempts } = await show(id);
      expect(attempts.slice(0, -1)).toEqual(before.attempts);
      expect(attempts.at(-1).url).toBe(receiver.url);
      expect(atTheOld()).toBe(0);
    });

    test('200: so do many in bulk', async () => {
      const { now, ids, atTheOld } = await moved(3);
      const change = { action: 'retry', filter: { ids }, expected: 3 };
      expect((await bellhop.support('POST', `${DELIVERIES}/bulk`, change)).body).toEqual({
        changed: 3,
      });
      await deliveredTo(now, 3);
      expect(atTheOld()).toBe(0);
    });

    test('200: so does a recovery of either, which counts them', async () => {
      for (const whose of ['sender', 'now'] as const) {
        const made = await moved(2);
        const { sender, now, namedId, atTheOld } = made;
        // Of the old one, also what was asked to go there.
        const count = whose === 'sender' ? 3 : 2;
        const dry = await recover(made[whose], { dry_run: true });
        expect(dry.body).toEqual({ requeued: count });
        expect((await recover(made[whose], {})).body).toEqual({ requeued: count });
        await deliveredTo(now, 2);
        const left = { dry_run: true };
        expect((await recover(now, left)).body).toEqual({ requeued: 0 });
        if (whose === 'now') expect(atTheOld()).toBe(0);
        expect((await show(namedId)).midoffice_id).toBe(sender.midofficeId);
      }
    });
  });

  test('422: for a limit of 0 or above the maximum', async () => {
    const sender = await newSender(bellhop);
    for (const limit of [0, 10_001, 1.5, '5']) {
      expect((await recover(sender, { limit })).status).toBe(422);
    }
  });

  describe('receiver-check', () => {
    const check = (url: unknown) =>
      bellhop.support('POST', '/support/v1/production/receiver-check', { url });

    test('200: says whether the address is allowed', async () => {
      const good = await check('http://127.0.0.1:8999/hook?a=1');
      expect([good.status, good.body]).toEqual([
        200,
        { ok: true, url: 'http://127.0.0.1:8999/hook?a=1' },
      ]);
      const bad = await check('https://10.0.0.1/hook');
      expect([bad.status, bad.body]).toEqual([
        200,
        { ok: false, detail: expect.stringMatching(/^10\.0\.0\.1 is not a public address\./) },
      ]);
      expect((await check('hook')).body).toMatchObject({ ok: false });
    });

    test('422: without a URL', async () => {
      expect((await check(undefined)).status).toBe(422);
      expect((await check('')).status).toBe(422);
    });
  });
});
