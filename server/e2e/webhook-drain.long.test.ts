import { createVerifier } from '@bellhop/partner';
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { spawnBellhop } from '../testing/bellhop.ts';
import { newMasterKey } from '../testing/settings.ts';
import { hang, startReceiver, status } from '../testing/webhook-receiver.ts';
import { DELIVERIES, EVENTS, newEvent, newSender, WEBHOOKS } from './webhook-bellhop.ts';

describeWithPostgres('a node that is stopped', (_empty, databaseWithTables) => {
  test('releases an attempt whose receiver hangs, and the next node makes it at once', async () => {
    const settings = {
      ...WEBHOOKS,
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
      // So long that a lease that was not released would outlast this test.
      BELLHOP_PRODUCTION_RECEIVER_TIMEOUT: '5m',
    };
    const receiver = await startReceiver(hang);
    const first = await spawnBellhop(settings);
    const sender = await newSender(first, receiver.url);
    const { body } = await first.support('POST', EVENTS, newEvent(sender));
    await receiver.came(1);
    await first.stop();
    expect(first.child.exitCode).toBe(0);

    receiver.answer = status(200);
    const second = await spawnBellhop(settings);
    await receiver.came(2);
    const path = `${DELIVERIES}/${body.results[0].delivery_id}`;
    await expect
      .poll(async () => (await second.support('GET', path)).body)
      .toMatchObject({ state: 'delivered', attempts_made: 1 });

    const verifier = createVerifier({ apiKey: sender.apiKey, requireHeaders: true });
    const [, webhook] = receiver.received;
    expect(await verifier.verify(webhook?.body ?? '', webhook?.headers)).toMatchObject({
      ok: true,
    });
    // It waits eight seconds for the receiver and starts two processes.
  }, 60_000);
});
