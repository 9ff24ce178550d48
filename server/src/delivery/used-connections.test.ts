/** Receivers that close a connection after a reply without saying so, while the next webhook is on its way. */
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachStore, Rig, type TestMidoffice } from '../../testing/delivery-rig.ts';
import { type Answer, status } from '../../testing/webhook-receiver.ts';
import { retryDelivery } from '../resources/deliveries/change-delivery.ts';
import { rotateKey } from '../resources/keys/rotate-key.ts';

/** Answers the first request of each connection, and hangs up at the second. */
function onceEach(answer: Answer = status(200)): { answer: Answer; connections(): number } {
  const seen = new WeakSet<IncomingMessage['socket']>();
  let connections = 0;
  return {
    connections: () => connections,
    answer: (webhook, response, request) => {
      if (seen.has(request.socket)) return void request.socket.destroy();
      seen.add(request.socket);
      connections++;
      answer(webhook, response, request);
    },
  };
}

describeOnEachStore('a used connection that ends without a reply', (newDatabase) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    await rig.start();
  });
  afterAll(() => rig?.close());

  async function sendTo(midoffice: TestMidoffice, attempts: number, order = 'order') {
    const before = rig.attempts.length;
    const [id] = (await rig.accept(midoffice, [order])) as [string];
    await rig.settled(before + attempts);
    return rig.show(id);
  }

  test.each(['any', 'per_order'] as const)(
    'is an attempt of its own, followed at once by one on a new connection: %s',
    async (delivery_order) => {
      const { answer, connections } = onceEach();
      const receiver = await rig.receiver(answer);
      const midoffice = await rig.midoffice(receiver.url, { delivery_order });
      expect((await sendTo(midoffice, 1)).state).toBe('delivered');
      for (const opened of [2, 3]) {
        const { state, attempts } = await sendTo(midoffice, 2);
        expect(state).toBe('delivered');
        expect(attempts).toMatchObject([
          { number: 1, outcome: 'failed', failure_code: 'connection_reused', status_code: null },
          { number: 2, outcome: 'delivered', status_code: 200 },
        ]);
        expect(attempts[0]?.signature_token).not.toBe(attempts[1]?.signature_token);
        expect(connections()).toBe(opened);
      }
      // Twice within a minute: from now on each webhook has a connection of its own.
      for (const opened of [4, 5]) {
        expect((await sendTo(midoffice, 1)).attempts).toMatchObject([{ outcome: 'delivered' }]);
        expect(connections()).toBe(opened);
      }
      expect(receiver.received.at(-1)?.headers.connection).toBe('close');
    },
  );

  test('uses no step of the schedule, and is made again before what waits for a slot', async () => {
    const { answer } = onceEach((webhook, ...rest) =>
      status(webhook.orderId === 'first' ? 200 : 503)(webhook, ...rest),
    );
    const receiver = await rig.receiver(answer);
    const midoffice = await rig.midoffice(receiver.url, { max_in_flight: 1 });
    const before = rig.attempts.length;
    const ids = await rig.accept(midoffice, ['first', 'second', 'third']);
    await rig.settled(before + 4);
    const [, second, third] = await Promise.all(ids.map((id) => rig.show(id)));
    expect(second?.attempts).toMatchObject([
      { failure_code: 'connection_reused' },
      { failure_code: 'status' },
    ]);
    expect(third?.attempts).toMatchObject([{ failure_code: 'status' }]);
    expect(second?.future_attempts).toHaveLength(third?.future_attempts.length ?? 0);
    expect(rig.attempts.slice(before).map((line) => [line.delivery_id, line.attempt])).toEqual([
      [ids[0], 1],
      [ids[1], 1],
      [ids[1], 2],
      [ids[2], 1],
    ]);
  });

  test('keeps the time of the scheduled attempt if support asked for this one, and the turn of its key', async () => {
    const { answer } = onceEach((webhook, ...rest) =>
      status(webhook.orderId === 'works' ? 200 : 503)(webhook, ...rest),
    );
    const receiver = await rig.receiver(answer);
    const midoffice = await rig.midoffice(receiver.url);
    const waiting = await sendTo(midoffice, 1);
    await rotateKey(rig.environment, 'test', midoffice.keyId, { overlap_seconds: 600 });
    await sendTo(midoffice, 1, 'works');
    const before = rig.attempts.length;
    await retryDelivery(rig.environment, 'test', waiting.id);
    await rig.settled(before + 2);
    const { attempts, next_attempt_at } = await rig.show(waiting.id);
    expect(attempts.map(({ failure_code }) => failure_code)).toEqual([
      'status',
      'connection_reused',
      'status',
    ]);
    expect(next_attempt_at).toBe(waiting.next_attempt_at);
    expect(attempts[2]?.key_fingerprint).toBe(attempts[1]?.key_fingerprint);
  });
});
