import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../testing/silent-log.ts';
import { systemClock } from '../base/clock.ts';
import { Metrics } from '../base/metrics.ts';
import { createMonitoring } from './health-routes.ts';
import type { PartnerSide } from './partner-side.ts';

test('metrics are collected once for all who ask while they are being collected', async () => {
  let collected = 0;
  let arrive = (_text: string) => {};
  const metricsText = () => {
    collected++;
    return new Promise<string>((resolve) => {
      arrive = resolve;
    });
  };
  const app = await createMonitoring({
    environments: new Map(),
    partnerSide: { metricsText } as unknown as PartnerSide,
    trouble: () => undefined,
    mailTroubles: () => [],
    metrics: new Metrics(),
    trustedProxies: [],
    clock: systemClock,
    log: silentLog(),
  });
  onTestFinished(() => app.close());
  const asked = Array.from({ length: 20 }, () => app.inject('/metrics'));
  await expect.poll(() => collected).toBe(1);
  arrive('');
  // For those who asked after the first began.
  await expect.poll(() => collected).toBe(2);
  arrive('');
  const statuses = (await Promise.all(asked)).map(({ statusCode }) => statusCode);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(collected).toBe(2);
});
