/** Which keys sign while rotations overlap. */
import { createVerifier } from '@bellhop/partner';
import { describe, expect, test } from 'vitest';
import { freshFolder, Rig } from '../../testing/delivery-rig.ts';
import { type Answer, startReceiver, status } from '../../testing/webhook-receiver.ts';
import { rotateKey } from '../resources/keys/rotate-key.ts';
import { updateMidoffice } from '../resources/midoffices/change-midoffice.ts';

const FIRST_WAIT_MS = 30_000;

describe('while key rotations overlap', () => {
  test('a receiver with either key accepts the first or the second attempt', async () => {
    const rig = await Rig.open(await freshFolder());
    const hooks = { old: await rig.receiver(), new: await rig.receiver() };
    const midoffice = await rig.midoffice(hooks.old.url);
    const second = await rig.midoffice(hooks.new.url, { signing_key_id: midoffice.keyId });
    const overlap = { overlap_seconds: 3_600 };
    const { api_key } = await rotateKey(rig.environment, 'test', midoffice.keyId, overlap);
    const keys = { old: midoffice.apiKey, new: api_key };
    for (const which of ['old', 'new'] as const) {
      const verifier = createVerifier({
        apiKey: keys[which],
        requireHeaders: true,
        now: () => rig.clock.now(),
      });
      hooks[which].answer = async (webhook, response) => {
        const { ok } = await verifier.verify(webhook.body, webhook.headers);
        response.writeHead(ok ? 200 : 401).end();
      };
    }
    await rig.start();
    const ids = [
      ...(await rig.accept(midoffice, ['a', 'b', 'c'])),
      ...(await rig.accept(second, ['a', 'b', 'c'])),
    ];
    await rig.settled(6);
    rig.clock.advance(FIRST_WAIT_MS);
    // The receiver with the earlier key accepted the first attempt: a body has one signature.
    expect(hooks.old.received).toHaveLength(3);
    await rig.settled(9);
    expect(await rig.states(ids)).toEqual(Array(6).fill('delivered'));
    for (const { headers } of [...hooks.old.received, ...hooks.new.received]) {
      expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    }

    // After the overlap only the new key signs.
    rig.clock.advance(3_600_000);
    hooks.new.answer = status(200);
    await rig.accept(second, ['d']);
    await rig.settled(10);
    const last = hooks.new.received.at(-1);
    expect(last?.headers['webhook-signature']).toMatch(/^v1,\S{44}$/);
    const verifier = createVerifier({ apiKey: api_key, now: () => rig.clock.now() });
    expect(await verifier.verify(last?.body ?? '', last?.headers)).toMatchObject({ ok: true });
  });

  test('with five keys in force, a receiver that has any of them accepts the fifth attempt at the latest', async () => {
    const rig = await Rig.open(await freshFolder());
    const first = await rig.midoffice('https://127.0.0.1/never-called');
    const apiKeys = [first.apiKey];
    while (apiKeys.length < 5) {
      const overlap = { overlap_seconds: 3_600 };
      apiKeys.push((await rotateKey(rig.environment, 'test', first.keyId, overlap)).api_key);
    }
    const ids: string[] = [];
    const receivers = await Promise.all(
      apiKeys.map(async (apiKey) => {
        const receiver = await rig.receiver();
        const now = () => rig.clock.now();
        // Judged by the body alone: the headers have the signatures of all keys.
        const verifier = createVerifier({ apiKey, now });
        receiver.answer = async ({ body }, response) =>
          void response.writeHead((await verifier.verify(body)).ok ? 200 : 401).end();
        const midoffice = await rig.midoffice(receiver.url, { signing_key_id: first.keyId });
        ids.push(...(await rig.accept(midoffice, ['order'])));
        return receiver;
      }),
    );
    await rig.start();
    // Oldest first, then from older to newer: the number of attempts after each round.
    let settled = 0;
    for (const [round, waitMs] of [0, 30_000, 60_000, 90_000, 120_000].entries()) {
      rig.clock.advance(waitMs);
      settled += apiKeys.length - round;
      await rig.settled(settled);
    }
    expect(await rig.states(ids)).toEqual(Array(5).fill('delivered'));
    expect(receivers.map(({ received }) => received.length)).toEqual([1, 2, 3, 4, 5]);
    for (const { headers } of receivers.flatMap(({ received }) => received)) {
      expect(headers['webhook-signature']).toMatch(/^v1,\S{44}( v1,\S{44}){4}$/);
    }
  });

  test('the key that the receiver last accepted comes first, even after a restart', async () => {
    const folder = await freshFolder();
    let rig = await Rig.open(folder);
    const receiver = await startReceiver();
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(midoffice, ['before the rotation']);
    await rig.settled(1);
    const overlap = { overlap_seconds: 3_600 };
    const { api_key } = await rotateKey(rig.environment, 'test', midoffice.keyId, overlap);
    const holds = (apiKey: string): Answer => {
      const verifier = createVerifier({ apiKey, now: () => rig.clock.now() });
      return async ({ body }, response) => {
        const { ok } = await verifier.verify(body);
        response.writeHead(ok ? 200 : 401).end();
      };
    };
    receiver.answer = holds(midoffice.apiKey);
    await rig.accept(midoffice, ['still the earlier key']);
    await rig.settled(2);
    expect(rig.attempts[1]).toMatchObject({ outcome: 'delivered' });

    receiver.answer = holds(api_key);
    // A second delivery waits while the first one discovers the new key, and must use it too.
    const waiting = await rig.accept(midoffice, ['first with the new key', 'and another']);
    await rig.settled(4);
    rig.clock.advance(FIRST_WAIT_MS);
    await rig.settled(6);
    expect(await rig.states(waiting)).toEqual(['delivered', 'delivered']);
    await rig.accept(midoffice, ['new key at once']);
    await rig.settled(7);
    expect(rig.attempts[6]).toMatchObject({ outcome: 'delivered', attempt: 1 });

    await rig.close();
    rig = await Rig.open(folder, { clock: rig.clock });
    await rig.start();
    await rig.accept(midoffice, ['after a restart']);
    await rig.settled(1);
    expect(rig.attempts[0]).toMatchObject({ outcome: 'delivered', attempt: 1 });
  });

  test('a rotation and other changes apply without a restart, also to pending deliveries', async () => {
    const rig = await Rig.open(await freshFolder());
    const before = await rig.receiver(status(500));
    const after = await rig.receiver();
    const midoffice = await rig.midoffice(before.url);
    await rig.start();
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    await rig.settled(1);
    const { api_key } = await rotateKey(rig.environment, 'test', midoffice.keyId, {
      overlap_seconds: 0,
    });
    await updateMidoffice(rig.environment, 'test', midoffice.id, {
      url: after.url,
      body_form: 'flat',
    });
    rig.clock.advance(FIRST_WAIT_MS);
    await rig.settled(2);
    expect(await rig.states([id])).toEqual(['delivered']);
    const [webhook] = after.received;
    expect(webhook?.json).toMatchObject({ type: 'updated', partner_order_id: 'order' });
    const verifier = createVerifier({ apiKey: api_key, now: () => rig.clock.now() });
    expect(await verifier.verify(webhook?.body ?? '', webhook?.headers)).toMatchObject({
      ok: true,
    });
  });
});
