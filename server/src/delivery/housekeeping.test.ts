/** Retention, failing midoffices and metrics, on a clock that moves by hours. */
import { expect, test } from 'vitest';
import { describeOnEachStore, freshFolder, Rig } from '../../testing/delivery-rig.ts';
import { sampleOf } from '../../testing/prometheus.ts';
import { QueueOwner } from '../../testing/queue-owner.ts';
import { refusedCall } from '../../testing/recorded-calls.ts';
import { status } from '../../testing/webhook-receiver.ts';
import { cancelDelivery, retryDelivery } from '../resources/deliveries/change-delivery.ts';
import { readCalls } from '../store/recorded-calls.ts';
import type { Alert } from './alerts.ts';
import { startHousekeeping } from './housekeeping.ts';
import { deliverySeq } from './orders/order-event.ts';

const HOUR = 3_600_000;
const URL = 'http://127.0.0.1:9/hook';

function housekeepingOf(rig: Rig, retentionMs = 0, callsRetentionMs = 0) {
  const alerts: Alert[] = [];
  const alertUrl = { isDown: false };
  const housekeeping = startHousekeeping({
    environment: 'production',
    store: rig.store,
    retentionMs,
    callsRetentionMs,
    async raise(alert) {
      alerts.push(alert);
      return !alertUrl.isDown;
    },
    clock: rig.clock,
    log: rig.log,
    metrics: rig.metrics,
  });
  return { ...housekeeping, alerts, alertUrl };
}

describeOnEachStore('retention', (newDatabase) => {
  async function settleAll(owner: QueueOwner, midofficeId: string, how: 'delivered' | 'exhausted') {
    await owner.settle(await owner.begin({ [midofficeId]: 100 }), how);
  }

  async function left(rig: Rig) {
    const rows = (table: 'delivery' | 'attempt', column: 'seq' | 'delivery_seq') =>
      rig.store.db
        .selectFrom(table)
        .select(column as never)
        .execute();
    return {
      deliveries: (await rows('delivery', 'seq')).map((row) => (row as { seq: number }).seq),
      attempts: (await rows('attempt', 'delivery_seq')).map(
        (row) => (row as { delivery_seq: number }).delivery_seq,
      ),
    };
  }

  test('deletes deliveries that were settled longer ago, with their attempts, and nothing else', async () => {
    const rig = await Rig.open(await newDatabase());
    const owner = await QueueOwner.of(rig);
    const { round } = housekeepingOf(rig, HOUR);
    const midoffice = await rig.midoffice(URL);
    const lonely = await rig.midoffice(URL);
    await rig.store.db
      .updateTable('partner')
      .set({ midoffice_id: null })
      .where('id', '=', lonely.partnerId)
      .execute();
    await rig.delivery.accept([
      {
        event_id: 'unrouted',
        type: 'created',
        partner_id: lonely.partnerId,
        partner_order_id: 'o',
      },
    ]);
    await rig.accept(midoffice, ['delivered 1', 'delivered 2']);
    await settleAll(owner, midoffice.id, 'delivered');
    await rig.accept(midoffice, ['exhausted']);
    await settleAll(owner, midoffice.id, 'exhausted');
    const [cancelled] = await rig.accept(midoffice, ['cancelled']);
    await cancelDelivery(rig.environment, 'test', cancelled as string);
    const [replayed] = await rig.accept(midoffice, ['replayed']);
    await settleAll(owner, midoffice.id, 'delivered');
    await retryDelivery(rig.environment, 'test', replayed as string);
    // Both are cancelled during an attempt; one attempt ends later, the other never.
    const [flying, abandoned] = await rig.accept(midoffice, ['flying', 'abandoned']);
    const begun = await owner.begin({ [midoffice.id]: 100 });
    for (const id of [flying, abandoned])
      await cancelDelivery(rig.environment, 'test', id as string);
    const [waiting] = await rig.accept(midoffice, ['waiting']);
    rig.clock.advance(1);
    const [younger] = await rig.accept(midoffice, ['younger']);
    await cancelDelivery(rig.environment, 'test', younger as string);

    const ended = begun.filter(({ seq }) => seq === deliverySeq(flying as string));
    await owner.settle(ended, 'delivered');
    rig.clock.advance(HOUR - 1);
    await round();
    expect((await left(rig)).deliveries).toHaveLength(10);
    rig.clock.advance(1);
    await round();
    const { deliveries, attempts } = await left(rig);
    expect(deliveries.sort(byNumber)).toEqual(
      [replayed, flying, waiting, younger].map((id) => deliverySeq(id as string)).sort(byNumber),
    );
    expect(attempts.sort(byNumber)).toEqual(
      [replayed, flying].map((id) => deliverySeq(id as string)),
    );
    // Once forgotten, the same event is a new one.
    const again = await rig.delivery.accept([
      {
        event_id: 'unrouted',
        type: 'created',
        partner_id: lonely.partnerId,
        partner_order_id: 'o',
      },
    ]);
    expect(again).toMatchObject({ results: [{ outcome: 'no_midoffice' }] });
  });

  test('deletes any number of deliveries, and none if it is off', async () => {
    const rig = await Rig.open(await newDatabase());
    const { partnerId } = await rig.midoffice(URL);
    await rig.store.db
      .updateTable('partner')
      .set({ midoffice_id: null })
      .where('id', '=', partnerId)
      .execute();
    for (const batch of [0, 1]) {
      await rig.delivery.accept(
        Array.from({ length: 900 }, (_, n) => ({
          event_id: `${batch} ${n}`,
          type: 'created' as const,
          partner_id: partnerId,
          partner_order_id: 'order',
        })),
      );
    }
    rig.clock.advance(10_000 * HOUR);
    await housekeepingOf(rig).round();
    expect((await left(rig)).deliveries).toHaveLength(1_800);
    await housekeepingOf(rig, 90 * 24 * HOUR).round();
    expect((await left(rig)).deliveries).toEqual([]);
  });
});

const byNumber = (a = 0, b = 0) => a - b;

describeOnEachStore('a midoffice that fails', (newDatabase) => {
  test('for an hour causes one alert, and another only after a success in between', async () => {
    const rig = await Rig.open(await newDatabase());
    // Two nodes do the housekeeping: this one, and the rig's own, which writes to its log.
    const { round, alerts } = housekeepingOf(rig);
    const told = () => [
      ...alerts,
      ...rig.lines
        .filter((line) => line.msg === 'alert')
        .map(({ level, time, msg, ...alert }) => alert),
    ];
    const receiver = await rig.receiver(status(500));
    const midoffice = await rig.midoffice(receiver.url, { name: 'The one' });
    await rig.start();
    const failingSince = new Date(rig.clock.now()).toISOString();
    await rig.accept(midoffice, ['a']);
    await rig.settled(1);
    await marked(rig, midoffice.id, true);
    // Later failures do not change when it began to fail.
    rig.clock.advance(30_000);
    await rig.settled(2);
    rig.clock.advance(HOUR - 30_001);
    await round();
    expect(told()).toEqual([]);
    rig.clock.advance(1);
    await Promise.all([round(), round()]);
    await expect.poll(() => told().length).toBe(1);
    expect(told()).toEqual([
      {
        alert: 'midoffice_failing',
        midoffice_id: midoffice.id,
        failing_since: failingSince,
        text: `Every webhook to midoffice "The one" has failed since ${failingSince}. Look at its latest attempts and tell the partner.`,
      },
    ]);
    expect(sampleOf(rig.metrics, 'bellhop_midoffices_failing')).toBe(1);

    rig.clock.advance(5 * HOUR);
    await round();
    expect(told()).toHaveLength(1);
    receiver.answer = status(200);
    await rig.accept(midoffice, ['b']);
    await marked(rig, midoffice.id, false);
    await round();
    expect(sampleOf(rig.metrics, 'bellhop_midoffices_failing')).toBe(0);

    receiver.answer = status(500);
    await rig.accept(midoffice, ['c']);
    await marked(rig, midoffice.id, true);
    rig.clock.advance(HOUR);
    await round();
    await expect.poll(() => told().length).toBe(2);
  });

  /** The worker does not wait for this to be written. */
  async function marked(rig: Rig, id: string, failing: boolean): Promise<void> {
    for (;;) {
      const row = await rig.store.db
        .selectFrom('midoffice')
        .select('failing_since')
        .where('id', '=', id)
        .executeTakeFirst();
      if ((row?.failing_since !== null) === failing) return;
      await new Promise(setImmediate);
    }
  }
});

describeOnEachStore('an alert that was not accepted', (newDatabase) => {
  test('is not marked as sent, and any node sends it again', async () => {
    const rig = await Rig.open(await newDatabase());
    const midoffice = await rig.midoffice(URL);
    await rig.store.queue.markFailing(midoffice.id, rig.clock.now());
    const one = housekeepingOf(rig);
    const other = housekeepingOf(rig);
    // Rounds run only when this test calls for them.
    one.stop();
    other.stop();
    one.alertUrl.isDown = true;
    rig.clock.advance(HOUR);
    await one.round();
    await other.round();
    // The other node cannot know yet that the first one failed.
    expect([one.alerts.length, other.alerts.length]).toEqual([1, 0]);
    rig.clock.advance(60_000);
    await other.round();
    expect(other.alerts).toHaveLength(1);
    rig.clock.advance(HOUR);
    await one.round();
    await other.round();
    expect([one.alerts.length, other.alerts.length]).toEqual([1, 1]);
  });
});

test('metrics count attempts, settled deliveries and pending ones', async () => {
  const rig = await Rig.open(await freshFolder(), {
    settings: { BELLHOP_PRODUCTION_RETRY_SCHEDULE: '1s,1s' },
  });
  const { round } = housekeepingOf(rig);
  const receiver = await rig.receiver(status(500));
  const midoffice = await rig.midoffice(receiver.url);
  await rig.start();
  const counted = (outcome: string) =>
    sampleOf(rig.metrics, 'bellhop_webhook_attempts_total', { outcome });
  const settled = (state: string) =>
    sampleOf(rig.metrics, 'bellhop_deliveries_settled_total', { state });
  expect([counted('delivered'), counted('failed')]).toEqual([0, 0]);
  expect([settled('delivered'), settled('exhausted')]).toEqual([0, 0]);

  await rig.accept(midoffice, ['a', 'b']);
  await rig.settled(2);
  rig.clock.advance(1_000);
  await rig.settled(4);
  rig.clock.advance(1_000);
  await rig.settled(6);
  expect([counted('failed'), settled('exhausted')]).toEqual([6, 2]);
  receiver.answer = status(204);
  await rig.accept(midoffice, ['c']);
  await rig.settled(7);
  expect([counted('delivered'), settled('delivered')]).toEqual([1, 1]);
  expect(sampleOf(rig.metrics, 'bellhop_webhook_attempt_seconds_count')).toBe(7);
  expect(sampleOf(rig.metrics, 'bellhop_webhook_attempts_in_flight')).toBe(0);

  receiver.answer = status(500);
  await rig.accept(midoffice, ['d', 'e', 'f']);
  await rig.settled(10);
  rig.clock.advance(700);
  await round();
  expect(sampleOf(rig.metrics, 'bellhop_deliveries_pending')).toBe(3);
  expect(sampleOf(rig.metrics, 'bellhop_deliveries_oldest_pending_seconds')).toBe(0.7);
});

describeOnEachStore('refused calls', (newDatabase) => {
  test('are kept for as long as the setting says, and not at all with 0', async () => {
    const rig = await Rig.open(await newDatabase());
    const now = rig.clock.now();
    const ages = [0, HOUR, HOUR + 1];
    await rig.store.recordedCalls.add(ages.map((age) => refusedCall({ at: now - age })));
    const kept = async () =>
      (await readCalls(rig.store.db, {}, { limit: 10 })).map(({ at }) => now - at);
    await housekeepingOf(rig, 0, HOUR).round();
    expect(await kept()).toEqual([0, HOUR]);
    rig.clock.advance(1);
    await housekeepingOf(rig, 0, 0).round();
    expect(await kept()).toEqual([]);
  });
});

describeOnEachStore('the usage history', (newDatabase) => {
  const DAY = 24 * HOUR;

  test('is kept for 90 days by hour and for 25 months by day', async () => {
    const rig = await Rig.open(await newDatabase());
    const { round } = housekeepingOf(rig);
    const now = rig.clock.now();
    const record = (hourMs: number, key: number) => ({
      keyId: String(key),
      endpoint: 'api/b2b/v3/overview/',
      hourMs,
      lastMs: hourMs,
      admitted: 1,
      refused: 0,
      failed: 0,
      peakCalls: null,
      peakShare: null,
    });
    const kept = async (table: 'usage_hour' | 'usage_day') =>
      (await rig.store.db.selectFrom(table).select('at').orderBy('at').execute()).map(
        ({ at }) => (now - at) / DAY,
      );
    // More than one statement deletes.
    const tooOld = Array.from({ length: 1_200 }, (_, key) => record(now - 800 * DAY, key));
    for (let i = 0; i < tooOld.length; i += 200) {
      const records = tooOld.slice(i, i + 200);
      await rig.store.usageHistory.add({ writer: 'a', number: i + 1, records, apiKeys: [] });
    }
    const others = [763, 762, 761, 91, 90, 0].map((days) => record(now - days * DAY, 1));
    await rig.store.usageHistory.add({ writer: 'b', number: 1, records: others, apiKeys: [] });
    await round();
    expect(await kept('usage_hour')).toEqual([90, 0]);
    // The clock stands at noon, and days begin at midnight.
    expect(await kept('usage_day')).toEqual([761.5, 91.5, 90.5, 0.5]);
  });
});
