/** The whole seven-day schedule, through the worker and the database, on a manual clock. */
import { createVerifier, memoryTokenStore } from '@bellhop/partner';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../testing/delivery-rig.ts';
import { hang, status, type WebhookReceiver } from '../../testing/webhook-receiver.ts';
import { cancelDelivery, retryDelivery } from '../resources/deliveries/change-delivery.ts';
import { updateMidoffice } from '../resources/midoffices/change-midoffice.ts';
import { recoverMidoffice } from '../resources/midoffices/recover-midoffice.ts';

const HOUR = 3_600_000;
const WAITS = [
  30_000,
  60_000,
  90_000,
  120_000,
  150_000,
  300_000,
  HOUR,
  ...Array<number>(14).fill(12 * HOUR),
];
/** How long the receiver takes to answer, in the clock's time. */
const ANSWER_MS = 1_250;

/** Fails every attempt until the schedule is used up; resolves to the times of the attempts. */
async function exhaust(rig: Rig, receiver: WebhookReceiver, ids: string[]): Promise<number[]> {
  const before = rig.attempts.length;
  const times: number[] = [];
  await rig.settled(before + ids.length);
  for (const [retry, waitMs] of WAITS.entries()) {
    rig.clock.advance(waitMs - 1);
    expect(receiver.received).toHaveLength(before + (retry + 1) * ids.length);
    rig.clock.advance(1);
    times.push(rig.clock.now());
    await rig.settled(before + (retry + 2) * ids.length);
  }
  return times;
}

describeOnEachStore('the retry schedule', (newDatabase) => {
  test('is kept after the clock was set back, by retries and by what has not begun', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(status(503));
    const midoffice = await rig.midoffice(receiver.url);
    const paused = await rig.midoffice(receiver.url);
    await updateMidoffice(rig.environment, 'test', paused.id, { paused: true });
    await rig.start();
    await rig.accept(midoffice, ['retried']);
    await rig.accept(paused, ['first']);
    await rig.settled(1);
    rig.clock.setWallClock(rig.clock.now() - HOUR);
    rig.clock.advance(1_000);
    await rig.logged('the clock was set back; pending deliveries follow it');
    await updateMidoffice(rig.environment, 'test', paused.id, { paused: false });
    await rig.settled(2);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['retried', 'first']);
    rig.clock.advance(30_000);
    await rig.settled(4);
  });

  test('is kept after the clock was set back while the database refused it', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(status(503));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(midoffice, ['retried']);
    await rig.settled(1);
    rig.clock.setWallClock(rig.clock.now() - HOUR);
    const { db } = rig.store;
    await sql`alter table pending rename to pending_away`.execute(db);
    rig.clock.advance(1_000);
    await rig.logged('pending deliveries cannot follow the clock; trying again');
    await sql`alter table pending_away rename to pending`.execute(db);
    rig.clock.advance(1_000);
    await rig.logged('the clock was set back; pending deliveries follow it');
    rig.clock.advance(30_000);
    await rig.settled(2);
  });

  test('is kept after the clock was set back during an attempt that support requested', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(status(503));
    const midoffice = await rig.midoffice(receiver.url, { max_in_flight: 1 });
    await rig.start();
    const ids = await rig.accept(midoffice, ['in flight', 'in memory']);
    await rig.settled(2);
    receiver.answerAll(hang);
    rig.clock.advance(1_000);
    for (const id of ids) await retryDelivery(rig.environment, 'test', id);
    await receiver.came(3);
    rig.clock.setWallClock(rig.clock.now() - HOUR);
    rig.clock.advance(1_000);
    await rig.logged('the clock was set back; pending deliveries follow it');
    receiver.answerAll(status(503));
    await rig.settled(4);
    for (const id of ids) {
      const { next_attempt_at } = await rig.show(id);
      expect(Date.parse(next_attempt_at as string) - rig.clock.now()).toBeLessThanOrEqual(30_000);
    }
    rig.clock.advance(30_000);
    await rig.settled(6);
  });

  test('has 22 attempts, each on time and newly signed; then the delivery is exhausted and can be replayed', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver((webhook, response) => {
      rig.clock.advance(ANSWER_MS);
      status(500, 'no room')(webhook, response, undefined as never);
    });
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const acceptedAt = rig.clock.now();
    const [id] = (await rig.accept(midoffice, ['order 1'], { event_id: 'event 1' })) as [string];
    const retriedAt = await exhaust(rig, receiver, [id]);

    const { attempts, ...delivery } = await rig.show(id);
    const startedAt = [acceptedAt, ...retriedAt];
    expect(startedAt).toHaveLength(22);
    const waits = startedAt.slice(1).map((at, n) => at - (startedAt[n] as number) - ANSWER_MS);
    expect(waits).toEqual(WAITS);
    expect(attempts.map(({ started_at }) => Date.parse(started_at))).toEqual(startedAt);
    expect(attempts.map(({ number }) => number)).toEqual(startedAt.map((_, n) => n + 1));
    expect(delivery).toMatchObject({
      state: 'exhausted',
      in_flight: false,
      attempts_made: 22,
      next_attempt_at: null,
      settled_at: new Date((startedAt[21] as number) + ANSWER_MS).toISOString(),
    });

    let now = 0;
    const verifier = createVerifier({
      apiKey: midoffice.apiKey,
      toleranceSeconds: 0,
      tokenStore: memoryTokenStore(),
      requireHeaders: true,
      now: () => now,
    });
    for (const [n, { body, headers }] of receiver.received.entries()) {
      now = startedAt[n] as number;
      const timestamp = Math.floor(now / 1_000);
      const token = attempts[n]?.signature_token;
      expect(token).toMatch(/^[A-Za-z0-9]{50}$/);
      expect(attempts[n]).toMatchObject({
        signature_timestamp: timestamp,
        outcome: 'failed',
        status_code: 500,
        reply_excerpt: 'no room',
        error: 'The receiver answered 500; only 2xx counts as delivered.',
      });
      // The token store refuses a token that was used before.
      expect(await verifier.verify(body, headers)).toEqual({
        ok: true,
        event: { type: 'updated', partnerOrderId: 'order 1' },
        token,
        timestamp,
        webhookId: 'event%201',
      });
    }
    expect(receiver.received).toHaveLength(22);

    // Nothing more happens by itself, however much time passes.
    rig.clock.advance(30 * 24 * HOUR);
    receiver.answerAll(status(200));
    expect(await retryDelivery(rig.environment, 'test', id)).toMatchObject({
      state: 'pending',
      settled_at: null,
      next_attempt_at: new Date(rig.clock.now()).toISOString(),
    });
    await rig.settled(23);
    const replayed = await rig.show(id);
    expect(replayed).toMatchObject({ state: 'delivered', attempts_made: 23 });
    expect(replayed.attempts[22]).toMatchObject({ number: 23, outcome: 'delivered', error: null });
    expect(receiver.received[22]?.headers['webhook-id']).toBe('event%201');
  });

  test('starts over for deliveries that are replayed or recovered', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(status(503));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const since = new Date(rig.clock.now()).toISOString();
    const ids = await rig.accept(midoffice, ['a', 'b', 'c']);
    await exhaust(rig, receiver, ids);
    expect(await rig.states(ids)).toEqual(['exhausted', 'exhausted', 'exhausted']);

    await retryDelivery(rig.environment, 'test', ids[0] as string);
    await exhaust(rig, receiver, [ids[0] as string]);
    expect(await rig.show(ids[0] as string)).toMatchObject({
      state: 'exhausted',
      attempts_made: 44,
    });

    const [other] = await rig.accept(midoffice, ['d']);
    await rig.settled(rig.attempts.length + 1);
    await cancelDelivery(rig.environment, 'test', other as string);
    receiver.answerAll(status(204));
    const before = rig.attempts.length;
    expect(await recoverMidoffice(rig.environment, 'test', midoffice.id, { since })).toEqual({
      requeued: 4,
    });
    await rig.settled(before + 4);
    expect(await rig.states([...ids, other as string])).toEqual(Array(4).fill('delivered'));
    expect(await recoverMidoffice(rig.environment, 'test', midoffice.id, { since })).toEqual({
      requeued: 0,
    });
  });

  test('is neither shortened nor delayed by attempts that support requests', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(status(500));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    await rig.settled(1);
    const scheduledAt = (await rig.show(id)).next_attempt_at;
    for (const byHand of [1, 2, 3]) {
      rig.clock.advance(1_000);
      await retryDelivery(rig.environment, 'test', id);
      await rig.settled(1 + byHand);
      expect(await rig.show(id)).toMatchObject({ next_attempt_at: scheduledAt });
    }
    rig.clock.advance(Date.parse(scheduledAt as string) - rig.clock.now());
    for (const [retry, waitMs] of WAITS.slice(1).entries()) {
      await rig.settled(5 + retry);
      rig.clock.advance(waitMs);
    }
    await rig.settled(22 + 3);
    expect(await rig.show(id)).toMatchObject({ state: 'exhausted', attempts_made: 25 });
  });

  test('has one more attempt at once if support requests it during an attempt', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    await receiver.came(1);
    await retryDelivery(rig.environment, 'test', id);
    receiver.answerAll(status(500));
    await rig.settled(1);
    rig.clock.advance(2_000);
    await rig.settled(2);
    const { next_attempt_at } = await rig.show(id);
    const schedulesOwn = Date.parse((await rig.show(id)).attempts[0]?.started_at as string);
    expect(Date.parse(next_attempt_at as string)).toBe(schedulesOwn + (WAITS[0] as number));
  });
});
