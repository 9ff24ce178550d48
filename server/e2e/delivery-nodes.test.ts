import { expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { describeWebhooksOnEachEngine, MIDOFFICES, newSender } from './webhook-bellhop.ts';

const NODES = '/support/v1/production/delivery-nodes';

describeWebhooksOnEachEngine('delivery nodes', {}, (bellhop) => {
  test('200: one node owns every shard, and a midoffice names that node', async () => {
    const { items, unowned } = await eventually(
      async () => (await bellhop.support('GET', NODES)).body,
      (body) => body.unowned.length === 0,
    );
    expect(unowned).toEqual([]);
    expect(items).toEqual([
      {
        id: expect.stringMatching(/./),
        host: expect.stringMatching(/./),
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        shards: Array.from({ length: 64 }, (_, n) => n),
        in_flight: 0,
      },
    ]);
    const { midofficeId } = await newSender(bellhop, (await startReceiver()).url);
    const { body } = await bellhop.support('GET', `${MIDOFFICES}/${midofficeId}`);
    expect(body.delivery_node).toBe(items[0].id);
  });
});
