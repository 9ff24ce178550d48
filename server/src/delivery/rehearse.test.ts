import { createVerifier } from '@bellhop/partner';
import { describe, expect, test } from 'vitest';
import { describeOnEachStore, freshFolder, Rig, vault } from '../../testing/delivery-rig.ts';
import { hang, status } from '../../testing/webhook-receiver.ts';
import { type Cidr, parseCidr } from '../base/addresses/addresses.ts';
import { createPoster } from '../receiver/post.ts';
import { rotateKey } from '../resources/keys/rotate-key.ts';
import { updateMidoffice } from '../resources/midoffices/change-midoffice.ts';
import { rehearse } from '../resources/midoffices/rehearse.ts';
import { createRehearser } from './rehearse.ts';
import { createSigner } from './sign.ts';
import type { LaneConfig } from './stages.ts';

const DAY_S = 86_400;

describeOnEachStore('a rehearsal', (newDatabase) => {
  test('changes nothing but the audit, whatever the receiver answers', async () => {
    const rig = await Rig.open(await newDatabase());
    const own = await rig.receiver();
    const midoffice = await rig.midoffice(own.url);
    await rig.start();
    await rig.accept(midoffice, ['one', 'two']);
    await rig.settled(2);
    // Writes the statistics.
    await rig.stop();
    const [pending = ''] = await rig.accept(midoffice, ['three']);
    const before = await dump(rig);
    const good = await rig.receiver();
    const bad = await rig.receiver(status(500));
    const passed = await rehearse(rig.environment, 'test', midoffice.id, { url: good.url });
    const failed = await rehearse(rig.environment, 'test', midoffice.id, { url: bad.url });
    expect(passed).toMatchObject({ verdict: 'passed', passed: 3, failed: 0, skipped: 0 });
    expect(failed).toMatchObject({ verdict: 'failed', passed: 0, failed: 3, skipped: 0 });
    expect(failed.lines[0]?.fix).toContain('failed while it processed the webhook');
    expect(good.received.map(({ orderId }) => orderId)).toEqual(['one', 'two', 'three']);
    expect(await dump(rig)).toEqual(before);
    expect(own.received).toHaveLength(2);
    expect((await rig.show(pending)).attempts_made).toBe(0);
  });

  test('takes the newest, one of each type, an order or named webhooks', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url);
    const [a = ''] = await rig.accept(midoffice, ['a', 'b'], { type: 'created' });
    await rig.accept(midoffice, ['a'], { type: 'cancelled' });
    await rig.accept(
      midoffice,
      Array.from({ length: 12 }, (_, n) => `n${n}`),
    );
    const titles = async (choice: object) => {
      const { lines } = await rehearse(rig.environment, 'test', midoffice.id, choice);
      return lines.map(({ title }) => title.replace('accepts ', ''));
    };
    const newest = Array.from({ length: 10 }, (_, n) => `that order n${n + 2} was updated`);
    expect(await titles({})).toEqual(newest);
    expect(await titles({ newest: 1 })).toEqual(['that order n11 was updated']);
    const each = [
      'that order b was created',
      'that order a was cancelled',
      'that order n11 was updated',
    ];
    expect(await titles({ one_of_each_type: true })).toEqual(each);
    const order = ['that order a was created', 'that order a was cancelled'];
    expect(await titles({ partner_order_id: 'a' })).toEqual(order);
    expect(await titles({ delivery_ids: [a] })).toEqual(['that order a was created']);
    const tokens = receiver.received.map(({ json }) => json.signature.token);
    expect(new Set(tokens).size).toBe(tokens.length);
  });
});

describe('a rehearsal', () => {
  test('signs with each key while rotations overlap, until the receiver accepts one', async () => {
    const rig = await Rig.open(await freshFolder());
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice('https://127.0.0.1/never-called');
    await rig.accept(midoffice, ['a', 'b', 'c']);
    const overlap = { overlap_seconds: DAY_S };
    const { api_key } = await rotateKey(rig.environment, 'test', midoffice.keyId, overlap);
    // Judged by the body alone: the headers have the signatures of all keys.
    const verifier = createVerifier({ apiKey: api_key, now: () => rig.clock.now() });
    receiver.answer = async (webhook, response) => {
      const { ok } = await verifier.verify(webhook.body);
      response.writeHead(ok ? 200 : 401).end();
    };
    const report = await rehearse(rig.environment, 'test', midoffice.id, { url: receiver.url });
    expect(report).toMatchObject({ verdict: 'passed', passed: 3 });
    // The first one was sent with both keys.
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['a', 'a', 'b', 'c']);
  });

  test('ends after three webhooks if none is accepted', async () => {
    const rig = await Rig.open(await freshFolder());
    const receiver = await rig.receiver(status(404));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.accept(midoffice, ['a', 'b', 'c', 'd', 'e']);
    const report = await rehearse(rig.environment, 'test', midoffice.id, {});
    expect(report).toMatchObject({
      verdict: 'failed',
      failed: 3,
      skipped: 2,
      cause: 'None of the first 3 webhooks was accepted, so the rest was not sent.',
      timings: { slowest_ms: expect.any(Number) },
    });
    expect(report.lines.at(-1)).toMatchObject({
      outcome: 'skipped',
      status_code: null,
      duration_ms: null,
    });
    expect(receiver.received).toHaveLength(3);
  });

  test('sends as many at once as the midoffice takes, and one at a time per order', async () => {
    const rig = await Rig.open(await freshFolder());
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url, { max_in_flight: 3 });
    await rig.accept(midoffice, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const answerFirst: typeof receiver.answer = (webhook, response, request) => {
      receiver.answer = hang;
      status(200)(webhook, response, request);
    };
    receiver.answer = answerFirst;
    const running = rehearse(rig.environment, 'test', midoffice.id, {});
    await receiver.came(4);
    expect(receiver.inFlight).toBe(3);
    receiver.answerAll();
    expect(await running).toMatchObject({ passed: 7 });
    expect(receiver.mostInFlight).toBe(3);
    receiver.mostInFlight = 0;
    await updateMidoffice(rig.environment, 'test', midoffice.id, { delivery_order: 'per_order' });
    await rehearse(rig.environment, 'test', midoffice.id, {});
    expect(receiver.mostInFlight).toBe(1);
    expect(receiver.received).toHaveLength(14);
  });

  test('keeps the pace of the midoffice', async () => {
    const rig = await Rig.open(await freshFolder());
    const cameAtMs: number[] = [];
    const receiver = await rig.receiver((...exchange) => {
      cameAtMs.push(performance.now());
      status(200)(...exchange);
    });
    const midoffice = await rig.midoffice(receiver.url, { max_per_second: 4 });
    await rig.accept(midoffice, ['a', 'b', 'c', 'd', 'e', 'f']);
    await rehearse(rig.environment, 'test', midoffice.id, {});
    expect(cameAtMs).toHaveLength(6);
    // Five that follow each other span more than a second.
    for (const [at, firstMs] of cameAtMs.slice(0, 2).entries()) {
      expect((cameAtMs[at + 4] as number) - firstMs).toBeGreaterThanOrEqual(1_000);
    }
  });

  test('ends in time at a receiver that hangs, and says what was not sent', async () => {
    const rig = await Rig.open(await freshFolder());
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url, { max_in_flight: 1 });
    const [lane] = await rig.store.queue.lanes([midoffice.id]);
    const { clock } = rig;
    const allow = [parseCidr('127.0.0.0/8') as Cidr];
    const poster = createPoster({ allow, timeoutMs: 60_000, userAgent: 'Test' });
    const sign = createSigner(vault, clock);
    receiver.answer = hang;
    const send = createRehearser({
      sign,
      poster,
      clock,
      laneOf: async () => lane as LaneConfig,
      longestMs: 300,
    });
    const event = { type: 'updated', agreement_number: null, status: null } as const;
    const events = ['a', 'b', 'c'].map((id) => ({ ...event, event_id: id, partner_order_id: id }));
    const both = await Promise.all([
      send(midoffice.id, events, undefined),
      send(midoffice.id, events, undefined),
    ]);
    await poster.close();
    expect(both).toMatchObject([
      { ended: 'out_of_time', attempts: [{ failure_code: 'aborted' }, undefined, undefined] },
      { ended: 'out_of_time', attempts: [undefined, undefined, undefined] },
    ]);
    expect(receiver.received).toHaveLength(1);
  });
});

/** All that a delivery or an attempt could change. */
async function dump({ store: { db } }: Rig) {
  const tables = [
    'delivery',
    'pending',
    'given_up',
    'attempt',
    'last_attempt',
    'minute_stat',
    'midoffice',
    'test_event',
    'receiver_wish',
    'notice',
  ] as const;
  const read = tables.map(async (table) => [
    table,
    await db.selectFrom(table).selectAll().execute(),
  ]);
  return Object.fromEntries(await Promise.all(read));
}
