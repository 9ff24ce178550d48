/** The worker with real receivers. The clock stands still, so no delivery depends on a poll. */
import { expect, test } from 'vitest';
import { describeOnEachStore, Rig } from '../../testing/delivery-rig.ts';
import { type Answer, hang, status } from '../../testing/webhook-receiver.ts';
import { cancelDelivery, retryDelivery } from '../resources/deliveries/change-delivery.ts';
import { updateMidoffice } from '../resources/midoffices/change-midoffice.ts';
import { recoverMidoffice } from '../resources/midoffices/recover-midoffice.ts';
import { sendTestEvent } from '../resources/midoffices/test-event.ts';

const FIRST_WAIT_MS = 30_000;

const numbered = (count: number, name = 'order') =>
  Array.from({ length: count }, (_, n) => `${name} ${n}`);

describeOnEachStore('the delivery worker', (newDatabase) => {
  test('delivers new events at once, even to a new midoffice', async () => {
    const rig = await Rig.open(await newDatabase());
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

  test('delivers the backlog when it starts', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver();
    await rig.accept(await rig.midoffice(receiver.url), numbered(40));
    await rig.start();
    await rig.settled(40);
    expect(receiver.received.map(({ orderId }) => orderId).sort()).toEqual(numbered(40).sort());
  });

  test('delivers to other midoffices at once while several receivers hang', async () => {
    const rig = await Rig.open(await newDatabase());
    const hanging = await rig.receiver(hang);
    const healthy = await rig.receiver();
    const stuck = await Promise.all([1, 2, 3].map(() => rig.midoffice(hanging.url)));
    const well = await rig.midoffice(healthy.url);
    await rig.start();
    for (const midoffice of stuck) await rig.accept(midoffice, numbered(50));
    // Each midoffice has its full 16 attempts in flight; the rest wait.
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

  test('keeps exactly max_in_flight attempts in flight, also after it changes', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url, { max_in_flight: 3 });
    await rig.start();
    await rig.accept(midoffice, numbered(30));
    await receiver.came(3);
    await updateMidoffice(rig.environment, 'test', midoffice.id, { max_in_flight: 5 });
    await receiver.came(5);
    await updateMidoffice(rig.environment, 'test', midoffice.id, { max_in_flight: 2 });
    let most = 0;
    receiver.answerAll((webhook, response, request) => {
      // The first five were sent before the change.
      if (receiver.received.length > 5) most = Math.max(most, receiver.inFlight);
      setImmediate(() => status(200)(webhook, response, request));
    });
    await rig.settled(30);
    expect(receiver.mostInFlight).toBe(5);
    expect(most).toBeLessThanOrEqual(2);
    expect(receiver.received).toHaveLength(30);
  });

  test('begins max_per_second attempts in a second, and holds up no other midoffice meanwhile', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver();
    const paced = await rig.midoffice(receiver.url, { max_per_second: 2 });
    const other = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(paced, numbered(5));
    // An earlier owner may have begun attempts a moment ago.
    await rig.accept(other, numbered(20, 'other'));
    await rig.settled(20);
    expect(receiver.received.some(({ orderId }) => orderId.startsWith('order'))).toBe(false);

    const begun = () =>
      rig.attempts.flatMap((one) => (one.midoffice_id === paced.id ? [one.delivery_id] : []));
    for (const sent of [1, 2, 3, 4]) {
      rig.clock.advance(sent === 1 ? 1_050 : 525);
      await rig.settled(21 * sent);
      await rig.accept(other, numbered(20, 'other'));
      await rig.settled(20 + 21 * sent);
      expect(begun()).toHaveLength(sent);
    }
    // A higher pace lets the rest go, and a test event does not wait at all.
    await updateMidoffice(rig.environment, 'test', paced.id, { max_per_second: 100 });
    rig.clock.advance(525);
    await rig.settled(105);
    expect(new Set(begun()).size).toBe(5);
    await updateMidoffice(rig.environment, 'test', paced.id, { max_per_second: 1 });
    expect(await sendTestEvent(rig.environment, 'test', paced.id)).toMatchObject({
      outcome: 'delivered',
    });
    // A retry by hand is an attempt like any other.
    await retryDelivery(rig.environment, 'test', begun()[0] as string);
    await rig.accept(other, ['other']);
    await rig.settled(106);
    expect(begun()).toHaveLength(5);
    rig.clock.advance(1_050);
    await rig.settled(107);
    expect(begun()).toHaveLength(6);
  });

  test('keeps a pace going when a timer fires a moment early', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver();
    const paced = await rig.midoffice(receiver.url, { max_per_second: 2 });
    const other = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(paced, numbered(2));
    rig.clock.advance(1_050);
    await rig.settled(1);
    await rig.accept(other, ['other']);
    await rig.settled(2);
    const exactly = rig.clock.monotonic.bind(rig.clock);
    let readings = 0;
    rig.clock.monotonic = () => exactly() - (readings++ === 0 ? 0.1 : 0);
    rig.clock.advance(525);
    // Were there no new timer, only the next sweep would find the webhook.
    expect(rig.clock.nextTimerInMs).toBeLessThanOrEqual(1);
    rig.clock.advance(1);
    await rig.settled(3);
  });

  test('sends nothing to a paused midoffice, and continues when it is resumed', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url);
    const other = await rig.midoffice(receiver.url);
    await rig.start();
    await updateMidoffice(rig.environment, 'test', midoffice.id, { paused: true });
    const ids = await rig.accept(midoffice, ['paused 1', 'paused 2']);
    await retryDelivery(rig.environment, 'test', ids[0] as string);
    await rig.accept(other, ['other']);
    await rig.settled(1);
    rig.clock.advance(3_600_000);
    await rig.accept(other, ['other']);
    await rig.settled(2);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['other', 'other']);
    await updateMidoffice(rig.environment, 'test', midoffice.id, { paused: false });
    await rig.settled(4);
    expect(await rig.states(ids)).toEqual(['delivered', 'delivered']);
  });

  test('attempts a retried delivery at once, and a cancelled one never again', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(status(500));
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    const ids = (await rig.accept(midoffice, ['a', 'b'])) as [string, string];
    await rig.settled(2);
    await cancelDelivery(rig.environment, 'test', ids[1]);
    receiver.answer = status(200);
    await retryDelivery(rig.environment, 'test', ids[0]);
    await rig.settled(3);
    rig.clock.advance(10 * FIRST_WAIT_MS);
    await rig.accept(midoffice, ['c']);
    await rig.settled(4);
    expect(receiver.received.map(({ orderId }) => orderId).slice(2)).toEqual(['a', 'c']);
    expect(await rig.states(ids)).toEqual(['delivered', 'cancelled']);
  });

  test('delivers the events of an order in order, and failures do not delay other orders', async () => {
    const rig = await Rig.open(await newDatabase());
    const failing = new Set(['a']);
    const answer: Answer = (webhook, response, request) =>
      status(failing.has(webhook.orderId) ? 500 : 200)(webhook, response, request);
    const receiver = await rig.receiver(answer);
    const midoffice = await rig.midoffice(receiver.url, { delivery_order: 'per_order' });
    await rig.start();
    const ids = await rig.accept(midoffice, ['a', 'b', 'a', 'b', 'a', 'c']);
    // All events of b and c are delivered; the first of a fails.
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

  test('does not begin the next event of an order while a cancelled one is in flight', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(hang);
    const midoffice = await rig.midoffice(receiver.url, { delivery_order: 'per_order' });
    await rig.start();
    const ids = (await rig.accept(midoffice, ['a', 'a'])) as [string, string];
    await receiver.came(1);
    await cancelDelivery(rig.environment, 'test', ids[0]);
    await rig.accept(midoffice, ['b']);
    await receiver.came(2);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['a', 'b']);
    receiver.answerAll(status(200));
    await rig.settled(3);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['a', 'b', 'a']);
    expect(await rig.states(ids)).toEqual(['cancelled', 'delivered']);
  });

  test('sends a recovered event of an order before a later one that already waits for a slot', async () => {
    const rig = await Rig.open(await newDatabase());
    const receiver = await rig.receiver(hang);
    const oneByOne = { delivery_order: 'per_order', max_in_flight: 1 } as const;
    const midoffice = await rig.midoffice(receiver.url, oneByOne);
    const ids = (await rig.accept(midoffice, ['other', 'a', 'a'])) as [string, string, string];
    await cancelDelivery(rig.environment, 'test', ids[1]);
    // One read of the table gives the lane both, so the later event of the order is in memory once the other is sent.
    await rig.start();
    await receiver.came(1);
    let heard = () => {};
    const told = new Promise<void>((resolve) => {
      heard = resolve;
    });
    rig.store.queue.onNotice(heard);
    const recovery = { since: '2020-01-01T00:00:00Z' };
    await recoverMidoffice(rig.environment, 'test', midoffice.id, recovery);
    await told;
    receiver.answerAll(status(200));
    await rig.settled(3);
    expect(rig.attempts.map(({ delivery_id }) => delivery_id)).toEqual(ids);
  });

  test('has one attempt per order in flight at a time, over hundreds of events', async () => {
    const rig = await Rig.open(await newDatabase());
    const inFlight = new Map<string, number>();
    const receiver = await rig.receiver((webhook, response) => {
      const { orderId } = webhook;
      const count = (inFlight.get(orderId) ?? 0) + 1;
      inFlight.set(orderId, count);
      setImmediate(() => {
        inFlight.set(orderId, 0);
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

  test('lets attempts in flight finish when it stops, and begins none', async () => {
    const rig = await Rig.open(await newDatabase());
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
