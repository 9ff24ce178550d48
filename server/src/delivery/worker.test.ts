/** The worker with real receivers. The clock stands still: whatever is delivered, no poll has found it. */
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../../test/support.ts';
import { describeOnEachStore, placeAt, Rig } from '../../testing/delivery-rig.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { startPostgresProxy } from '../../testing/postgres-proxy.ts';
import { QueueOwner } from '../../testing/queue-owner.ts';
import { type Answer, hang, status } from '../../testing/webhook-receiver.ts';
import { cancelDelivery } from '../support/cancel-delivery.ts';
import { retryDelivery } from '../support/retry-delivery.ts';
import { updateMidoffice } from '../support/update-midoffice.ts';

const FIRST_WAIT_MS = 30_000;
const SHORT_LEASE = { leaseMs: 600 };
/** So long that nothing happens because one ends. */
const LONG_LEASE = { leaseMs: 3_600_000 };

const numbered = (count: number, name = 'order') =>
  Array.from({ length: count }, (_, n) => `${name} ${n}`);

describeOnEachStore('the delivery worker', (freshPlace) => {
  test('delivers at once what comes in, also for a midoffice that is new', async () => {
    const rig = await Rig.open(await freshPlace());
    await rig.start();
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url);
    for (const order of numbered(3)) {
      const before = rig.attempts.length;
      const ids = await rig.accept(midoffice, [order]);
      await rig.settled(before + 1);
      expect(await rig.states(ids)).toEqual(['delivered']);
    }
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(numbered(3));
  });

  test('delivers what was waiting when it starts', async () => {
    const rig = await Rig.open(await freshPlace());
    const receiver = await rig.receiver();
    await rig.accept(await rig.midoffice(receiver.url), numbered(40));
    await rig.start();
    await rig.settled(40);
    expect(receiver.received.map(({ orderId }) => orderId).sort()).toEqual(numbered(40).sort());
  });

  test('lets no receiver that hangs, however full, delay another', async () => {
    const rig = await Rig.open(await freshPlace());
    const hanging = await rig.receiver(hang);
    const healthy = await rig.receiver();
    const stuck = await Promise.all([1, 2, 3].map(() => rig.midoffice(hanging.url)));
    const well = await rig.midoffice(healthy.url);
    await rig.start();
    for (const midoffice of stuck) await rig.accept(midoffice, numbered(50));
    // Sixteen of each hang, which is all that they may; the rest wait behind them.
    await hanging.came(48);
    const ids = await rig.accept(well, numbered(100));
    await rig.settled(100);
    expect(new Set(await rig.states(ids))).toEqual(new Set(['delivered']));
    expect([hanging.received.length, hanging.mostInFlight]).toEqual([48, 48]);
    expect(rig.delivery.attemptsInFlight()).toBe(48);

    hanging.answerAll(status(200));
    await rig.settled(250);
    expect(hanging.received).toHaveLength(150);
  });

  test('has no more attempts in flight than the midoffice may have, and as many', async () => {
    const rig = await Rig.open(await freshPlace());
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url, { max_in_flight: 3 });
    await rig.start();
    await rig.accept(midoffice, numbered(30));
    await receiver.came(3);
    await updateMidoffice(rig.desk, 'test', midoffice.id, { max_in_flight: 5 });
    await receiver.came(5);
    await updateMidoffice(rig.desk, 'test', midoffice.id, { max_in_flight: 2 });
    let most = 0;
    receiver.answerAll((webhook, response, request) => {
      // Those of before the change are answered first.
      if (receiver.received.length > 5) most = Math.max(most, receiver.inFlight);
      setImmediate(() => status(200)(webhook, response, request));
    });
    await rig.settled(30);
    expect(receiver.mostInFlight).toBe(5);
    expect(most).toBeLessThanOrEqual(2);
    expect(receiver.received).toHaveLength(30);
  });

  test('leaves a paused midoffice alone, and goes on when it is resumed', async () => {
    const rig = await Rig.open(await freshPlace());
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url);
    const other = await rig.midoffice(receiver.url);
    await rig.start();
    await updateMidoffice(rig.desk, 'test', midoffice.id, { paused: true });
    const ids = await rig.accept(midoffice, ['paused 1', 'paused 2']);
    await retryDelivery(rig.desk, 'test', ids[0] as string);
    await rig.accept(other, ['other']);
    await rig.settled(1);
    rig.clock.advance(3_600_000);
    await rig.accept(other, ['other']);
    await rig.settled(2);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['other', 'other']);
    await updateMidoffice(rig.desk, 'test', midoffice.id, { paused: false });
    await rig.settled(4);
    expect(await rig.states(ids)).toEqual(['delivered', 'delivered']);
  });

  test('attempts at once what support asks for, and no more what it cancels', async () => {
    const rig = await Rig.open(await freshPlace());
    const receiver = await rig.receiver(status(500));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const ids = (await rig.accept(midoffice, ['a', 'b'])) as [string, string];
    await rig.settled(2);
    await cancelDelivery(rig.desk, 'test', ids[1]);
    receiver.answer = status(200);
    await retryDelivery(rig.desk, 'test', ids[0]);
    await rig.settled(3);
    rig.clock.advance(10 * FIRST_WAIT_MS);
    await rig.accept(midoffice, ['c']);
    await rig.settled(4);
    expect(receiver.received.map(({ orderId }) => orderId).slice(2)).toEqual(['a', 'c']);
    expect(await rig.states(ids)).toEqual(['delivered', 'cancelled']);
  });

  test('keeps the events of an order in order, whatever fails, and holds up no other order', async () => {
    const rig = await Rig.open(await freshPlace());
    const failing = new Set(['a']);
    const answer: Answer = (webhook, response, request) =>
      status(failing.has(webhook.orderId) ? 500 : 200)(webhook, response, request);
    const receiver = await rig.receiver(answer);
    const midoffice = await rig.midoffice(receiver.url, { delivery_order: 'per_order' });
    await rig.start();
    const ids = await rig.accept(midoffice, ['a', 'b', 'a', 'b', 'a', 'c']);
    // All of b and c, and the first of a in vain.
    await rig.settled(4);
    expect(await rig.states(ids)).toEqual([
      'pending',
      'delivered',
      'pending',
      'delivered',
      'pending',
      'delivered',
    ]);
    failing.clear();
    rig.clock.advance(FIRST_WAIT_MS);
    await rig.settled(7);
    const order = rig.attempts.filter(({ delivery_id }) =>
      [ids[0], ids[2], ids[4]].includes(delivery_id),
    );
    expect(order.map((one) => [one.delivery_id, one.outcome])).toEqual([
      [ids[0], 'failed'],
      [ids[0], 'delivered'],
      [ids[2], 'delivered'],
      [ids[4], 'delivered'],
    ]);
  });

  test('does not begin the next of an order while one that was cancelled is still under way', async () => {
    const rig = await Rig.open(await freshPlace());
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url, { delivery_order: 'per_order' });
    await rig.start();
    const ids = (await rig.accept(midoffice, ['a', 'a'])) as [string, string];
    await receiver.came(1);
    await cancelDelivery(rig.desk, 'test', ids[0]);
    await rig.accept(midoffice, ['b']);
    await receiver.came(2);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['a', 'b']);
    receiver.answerAll(status(200));
    await rig.settled(3);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['a', 'b', 'a']);
    expect(await rig.states(ids)).toEqual(['cancelled', 'delivered']);
  });

  test('has one of an order under way at a time, over hundreds of them', async () => {
    const rig = await Rig.open(await freshPlace());
    const underWay = new Map<string, number>();
    const receiver = await rig.receiver((webhook, response) => {
      const { orderId } = webhook;
      const count = (underWay.get(orderId) ?? 0) + 1;
      underWay.set(orderId, count);
      setImmediate(() => {
        underWay.set(orderId, 0);
        response.writeHead(count > 1 ? 418 : 200).end();
      });
    });
    const midoffice = await rig.midoffice(receiver.url, { delivery_order: 'per_order' });
    await rig.start();
    const events = Array.from({ length: 200 }, (_, n) => `order ${n % 10}`);
    const ids = [
      ...(await rig.accept(midoffice, events.slice(0, 100))),
      ...(await rig.accept(midoffice, events.slice(100))),
    ];
    await rig.settled(200);
    expect(new Set(rig.attempts.map(({ outcome }) => outcome))).toEqual(new Set(['delivered']));
    for (let order = 0; order < 10; order++) {
      const of = ids.filter((_, n) => n % 10 === order);
      const delivered = rig.attempts.map((one) => one.delivery_id).filter((id) => of.includes(id));
      expect(delivered).toEqual(of);
    }
  });

  test('that stops lets what is under way finish, and begins nothing new', async () => {
    const rig = await Rig.open(await freshPlace());
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url, { max_in_flight: 2 });
    await rig.start();
    const ids = await rig.accept(midoffice, numbered(5));
    await receiver.came(2);
    const stopping = rig.stop();
    receiver.answerAll(status(200));
    await stopping;
    expect(receiver.received).toHaveLength(2);
    const shown = await Promise.all(ids.map((id) => rig.show(id)));
    expect(shown.map(({ state }) => state).sort()).toEqual([
      'delivered',
      'delivered',
      'pending',
      'pending',
      'pending',
    ]);
    expect(shown.map(({ in_flight }) => in_flight)).toEqual(Array(5).fill(false));
    await rig.start();
    await rig.settled(5);
  });
});

describeWithPostgres('several nodes that deliver', (freshDatabase) => {
  async function twoNodes(lease = {}, leaseClock?: ManualClock) {
    const place = placeAt(await freshDatabase(), lease);
    const first = await Rig.open(place, { ...(leaseClock && { leaseClock }) });
    const second = await Rig.open(place, { clock: new ManualClock(first.clock.now()) });
    return { first, second };
  }

  function shardsOf({ metrics }: Rig): number {
    const line = /^bellhop_delivery_shards_owned\{.*\} (\d+)$/m.exec(metrics.text());
    return Number(line?.[1]);
  }

  test('attempt each delivery once, and keep to the limit of a midoffice together', async () => {
    const { first, second } = await twoNodes();
    await Promise.all([first.start(), second.start()]);
    const receiver = await first.receiver((webhook, response, request) =>
      setImmediate(() => status(200)(webhook, response, request)),
    );
    const midoffices = await Promise.all(
      [1, 2, 3, 4].map(() => first.midoffice(receiver.url, { max_in_flight: 2 })),
    );
    const accepted = await Promise.all(
      midoffices.map((midoffice, n) =>
        (n % 2 ? first : second).accept(midoffice, numbered(50, `m${n}`)),
      ),
    );
    await receiver.came(200);
    await Promise.all([first.stop(), second.stop()]);
    expect(receiver.received).toHaveLength(200);
    expect(new Set(receiver.received.map(({ orderId }) => orderId)).size).toBe(200);
    expect(receiver.mostInFlight).toBeLessThanOrEqual(8);
    expect(first.attempts.length + second.attempts.length).toBe(200);
    expect(new Set(await first.states(accepted.flat()))).toEqual(new Set(['delivered']));
  });

  test('are woken by each other: one accepts, the other delivers', async () => {
    const { first, second } = await twoNodes();
    await second.start();
    const receiver = await first.receiver();
    const midoffice = await first.midoffice(receiver.url);
    const ids = await first.accept(midoffice, ['a']);
    await second.settled(1);
    await retryDelivery(first.desk, 'test', ids[0] as string);
    await second.settled(2);
    expect(receiver.received).toHaveLength(2);
  });

  test('take over from one that froze; what it says after that counts for nothing', async () => {
    // Its clock stands still: it neither renews its leases nor notices that they end.
    const { first, second } = await twoNodes(SHORT_LEASE, new ManualClock());
    const receiver = await first.receiver(hang);
    const midoffice = await first.midoffice(receiver.url);
    await first.start();
    const [id] = (await first.accept(midoffice, ['order'])) as [string];
    await receiver.came(1);
    // Only those that come from now on are answered.
    receiver.answer = status(200);
    await second.start();
    await second.settled(1);
    const delivered = await second.show(id);
    expect(delivered).toMatchObject({ state: 'delivered', attempts_made: 1 });

    receiver.answerAll(status(500));
    await first.logged('the shard has another owner; an outcome was discarded');
    expect(first.attempts).toEqual([]);
    expect(await first.show(id)).toEqual(delivered);
  });

  test('break off what is under way when their lease ends, and begin again when they have it back', async () => {
    const leaseClock = new ManualClock();
    const { first } = await twoNodes(LONG_LEASE, leaseClock);
    const receiver = await first.receiver(hang);
    await first.start();
    const midoffice = await first.midoffice(receiver.url);
    const ids = await first.accept(midoffice, ['order']);
    await receiver.came(1);
    receiver.answer = status(200);
    // Both timers come at once: the end of the lease, and a renewal that is answered only after it.
    leaseClock.advance(LONG_LEASE.leaseMs);
    await first.logged('the leases of shards have ended');
    await first.settled(1);
    expect(receiver.received).toHaveLength(2);
    expect(await first.show(ids[0] as string)).toMatchObject({
      state: 'delivered',
      attempts_made: 1,
    });
  });

  test('share the shards evenly, and the midoffices with them', async () => {
    const { first, second } = await twoNodes({ leaseMs: 2_000 });
    await first.start();
    expect(shardsOf(first)).toBe(64);
    await second.start();
    await eventually(
      async () => [shardsOf(first), shardsOf(second)],
      ([a, b]) => a === 32 && b === 32,
    );
    const receiver = await first.receiver();
    const midoffices = await Promise.all(
      Array.from({ length: 12 }, () => first.midoffice(receiver.url)),
    );
    for (const midoffice of midoffices) await first.accept(midoffice, ['shared']);
    await eventually(
      async () => first.attempts.length + second.attempts.length,
      (count) => count === 12,
    );
    expect(receiver.received).toHaveLength(12);
  });

  test('take more than their share where a node that counts takes none', async () => {
    const { first } = await twoNodes(SHORT_LEASE);
    const until = Date.now() + 3_600_000;
    const ghost = { id: 'ghost', host: 'elsewhere', since: 0, until };
    await first.store.db.insertInto('delivery_node').values(ghost).execute();
    await first.start();
    expect(shardsOf(first)).toBe(32);
    await eventually(
      async () => shardsOf(first),
      (count) => count === 64,
    );
  });

  test('that lose a shard and get it back attempt what waits there once', async () => {
    const { first, second } = await twoNodes();
    const receiver = await first.receiver(status(500));
    const midoffice = await first.midoffice(receiver.url);
    await first.start();
    await first.accept(midoffice, ['a']);
    await first.settled(1);
    // Its lane waits for the retry. Taken over by hand, and given back at once.
    const other = await QueueOwner.of(second);
    await first.store.db.updateTable('shard').set({ until: 0 }).execute();
    while (other.epochs.size < 64) await other.take();
    await first.store.db.updateTable('shard').set({ until: 0 }).execute();
    await eventually(
      async () => shardsOf(first),
      (count) => count === 64,
    );
    receiver.answer = hang;
    first.clock.advance(FIRST_WAIT_MS);
    await receiver.came(2);
    // What would come twice comes with it.
    await first.accept(midoffice, ['b']);
    await receiver.came(3);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['a', 'a', 'b']);
  });

  test('hear of shards that another gives back', async () => {
    const { first, second } = await twoNodes(LONG_LEASE);
    await first.start();
    await second.start();
    expect([shardsOf(first), shardsOf(second)]).toEqual([64, 0]);
    const receiver = await first.receiver();
    const midoffice = await first.midoffice(receiver.url);
    await first.stop();
    await second.accept(midoffice, ['after the handover']);
    await second.settled(1);
    expect(shardsOf(second)).toBe(64);
  });

  test('go on soon after answers of the database were lost', async () => {
    const proxy = await startPostgresProxy(await freshDatabase());
    const rig = await Rig.open(placeAt(proxy.url));
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(midoffice, ['before']);
    await rig.settled(1);
    proxy.swallow();
    const lost = Promise.allSettled(
      [1, 2, 3, 4, 5, 6, 7, 8].map(() => rig.accept(midoffice, ['lost'])),
    );
    await rig.logged('the leases of shards cannot be renewed');
    proxy.restore();
    // Their answers never come; without them nobody waits for as long as a slow report may take.
    await lost;
    await eventually(
      () => rig.accept(midoffice, ['after']).catch(() => []),
      (ids) => ids.length === 1,
    );
    await eventually(
      async () => receiver.received.some(({ orderId }) => orderId === 'after'),
      (received) => received,
    );
  });
});
