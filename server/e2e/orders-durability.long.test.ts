/** An event that was answered with 202 is delivered, even across crashes. */
import { expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { spawnBellhop } from '../testing/bellhop.ts';
import { newMasterKey } from '../testing/settings.ts';
import { hang, startReceiver, status } from '../testing/webhook-receiver.ts';
import { DELIVERIES, EVENTS, newEvent, newSender, WEBHOOKS } from './webhook-bellhop.ts';

test('neither a kill -9 right after the 202 nor one during the attempt loses an event', async () => {
  const settings = { ...WEBHOOKS, BELLHOP_DATA_DIR: await temporaryFolder() };
  const receiver = await startReceiver(hang);
  const first = await spawnBellhop(settings);
  const sender = await newSender(first, receiver.url);
  const underWay = newEvent(sender);
  await first.support('POST', EVENTS, underWay);
  await receiver.came(1);

  const events = Array.from({ length: 50 }, () => newEvent(sender));
  const accepted: string[] = [];
  const killed = new Promise<void>((resolve) => {
    for (const event of events) {
      void first.support('POST', EVENTS, event).then(
        () => {
          accepted.push(event.partner_order_id);
          // While other events are being posted: those without an answer may or may not be stored.
          if (accepted.length === 10) resolve(first.kill());
        },
        () => {},
      );
    }
  });
  await killed;
  const before = receiver.received.length;
  receiver.answerAll(status(200));

  const second = await spawnBellhop(settings);
  const wanted = new Set([underWay.partner_order_id, ...accepted]);
  for (let count = before + 1; wanted.size > 0; count++) {
    await receiver.came(count);
    wanted.delete(receiver.received[count - 1]?.orderId as string);
  }
  // Events without an answer are posted again, and none is stored twice.
  const { body } = await second.support('POST', EVENTS, { events });
  expect(body.results).toHaveLength(50);
  const again = await second.support('POST', EVENTS, { events });
  expect(again.body.results.map((one: { outcome: string }) => one.outcome)).toEqual(
    Array(50).fill('duplicate'),
  );
  const list = await second.support(
    'GET',
    `${DELIVERIES}?midoffice_id=${sender.midofficeId}&limit=200`,
  );
  expect(list.body.items).toHaveLength(51);
});

describeWithPostgres('on PostgreSQL', (_empty, databaseWithTables) => {
  test('an event accepted by a node that is then killed is delivered by another node', async () => {
    const settings = {
      ...WEBHOOKS,
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
    };
    const receiver = await startReceiver();
    const front = await spawnBellhop({ ...settings, BELLHOP_ROLES: 'back-office' });
    const sender = await newSender(front, receiver.url);
    const event = newEvent(sender);
    const { body } = await front.support('POST', EVENTS, event);
    await front.kill();
    expect(receiver.received).toEqual([]);

    const back = await spawnBellhop(settings);
    await receiver.came(1);
    expect(receiver.received[0]?.orderId).toBe(event.partner_order_id);
    await expect
      .poll(async () => {
        const path = `${DELIVERIES}/${body.results[0].delivery_id}`;
        return (await back.support('GET', path)).body.state;
      })
      .toBe('delivered');
  });
});
