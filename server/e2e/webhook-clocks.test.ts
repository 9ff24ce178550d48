/** Nodes whose clocks differ: the database's clock counts. */
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { newMasterKey } from '../testing/settings.ts';
import { startReceiver, status } from '../testing/webhook-receiver.ts';
import { DELIVERIES, EVENTS, newEvent, newSender, WEBHOOKS } from './webhook-bellhop.ts';

const SHIFTED_CLOCK = new URL('../../torture/single-faults/shifted-clock.ts', import.meta.url);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

describeWithPostgres('a node whose clock is off', (_empty, databaseWithTables) => {
  test.for([
    ['behind', -HOUR_MS],
    ['ahead', HOUR_MS],
  ] as const)('by an hour %s delivers, retries and signs on time', async ([_, shiftMs]) => {
    const settings = {
      ...WEBHOOKS,
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
      BELLHOP_PRODUCTION_RETRY_SCHEDULE: '100ms,1h',
    };
    const accepts = await startBellhop({ ...settings, BELLHOP_ROLES: 'back-office' });
    await spawnBellhop(
      { ...settings, BELLHOP_ROLES: 'delivery', TORTURE_CLOCK_SHIFT_MS: String(shiftMs) },
      { preload: SHIFTED_CLOCK },
    );
    const receiver = await startReceiver(status(500));
    const sender = await newSender(accepts, receiver.url);
    const { body } = await accepts.support('POST', EVENTS, newEvent(sender));
    await receiver.came(2);
    for (const { headers } of receiver.received) {
      const timestampMs = Number(headers['webhook-timestamp']) * 1_000;
      expect(Math.abs(timestampMs - Date.now())).toBeLessThan(MINUTE_MS);
    }
    const path = `${DELIVERIES}/${body.results[0].delivery_id}`;
    const shown = async () => (await accepts.support('GET', path)).body;
    await expect.poll(async () => (await shown()).attempts_made).toBe(2);
    const nextMs = Date.parse((await shown()).next_attempt_at);
    expect(Math.abs(nextMs - HOUR_MS - Date.now())).toBeLessThan(MINUTE_MS);
  });
});
