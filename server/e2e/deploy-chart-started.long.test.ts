/** The settings of the Helm chart's pods, started as processes on a real PostgreSQL and Redis. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeWithPostgres, describeWithRedis } from '../../test/support.ts';
import { startBellhop } from '../testing/bellhop.ts';
import { readText } from '../testing/deploy-files.ts';
import { environmentOf, probedPaths } from '../testing/helm-chart.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { describeChart, documentedMetrics, SECRETS } from './chart-values.ts';
import { newEvent, newSender } from './webhook-bellhop.ts';

type Addresses = Record<string, string>;

describeChart('the chart', (chart) => {
  const render = (values: object) => chart.render(values);

  describeWithRedis('started with the settings of its pods', (redisUrl) => {
    describeWithPostgres('on PostgreSQL', (newDatabase) => {
      test('serves partners from one group, and delivers and reports metrics from the other', async () => {
        const values = {
          ...SECRETS,
          BELLHOP_PRODUCTION_DATABASE_URL: await newDatabase(),
          BELLHOP_SANDBOX_DATABASE_URL: await newDatabase(),
          BELLHOP_PRODUCTION_REDIS_URL: `${redisUrl}/1`,
          BELLHOP_SANDBOX_REDIS_URL: `${redisUrl}/2`,
        };
        const manifests = await render({
          secrets: { values },
          settings: LOOPBACK_RECEIVERS,
        });
        // Both at once, as in a first installation: one migrates, the other waits.
        const [delivery, partners] = await Promise.all(
          ['bellhop-delivery', 'bellhop-partner-api'].map((name) =>
            startBellhop({ ...environmentOf(manifests, name), BELLHOP_HOST: '127.0.0.1' }),
          ),
        );
        if (!delivery || !partners) throw new Error('The chart has no such groups.');
        expect(Object.keys(delivery.addresses)).toEqual(['backOffice', 'portal']);
        const { production, sandbox, monitoring } = partners.addresses as unknown as Addresses;
        expect(partners.addresses).toEqual({ production, sandbox, monitoring });
        for (const address of [delivery.addresses.backOffice, monitoring]) {
          for (const path of probedPaths(manifests)) {
            expect((await fetch(address + path)).status, path).toBe(200);
          }
        }
        expect((await fetch(`${monitoring}/`)).status).toBe(404);
        const receiver = await startReceiver();
        const sender = await newSender(delivery, receiver.url);
        await delivery.support('POST', '/orders/v1/production/events', newEvent(sender));
        await receiver.came(1);
        const key = await delivery.newKey('production');
        const reply = await fetch(`${partners.addresses.production}/api/b2b/v3/overview/`, {
          headers: { authorization: key.authorization },
        });
        expect(reply.status).toBe(200);
        await reply.arrayBuffer();

        const metrics = await Promise.all(
          [monitoring, delivery.addresses.backOffice].map(async (address) =>
            (await fetch(`${address}/metrics`)).text(),
          ),
        );
        for (const { name } of documentedMetrics()) {
          const counter = counterBehind(name);
          expect(metrics.join('\n'), name).toMatch(new RegExp(`^${counter}\\{`, 'm'));
        }
      });
    });
  });
});

/** Undoes what the Prometheus adapter does to a name; fails if its rules do not make it. */
function counterBehind(metric: string): string {
  const [rule] = parse(readText('deploy/helm/prometheus-adapter.yaml')).rules.custom;
  const counter = metric.replace(/_per_second$/, '_total');
  const series = new RegExp(/__name__=~"([^"]+)"/.exec(rule.seriesQuery)?.[1] as string);
  expect(counter).toMatch(series);
  const made = counter.replace(
    new RegExp(rule.name.matches),
    rule.name.as.replace(/\$\{(\d)\}/, '$$$1'),
  );
  expect(made).toBe(metric);
  return counter;
}
