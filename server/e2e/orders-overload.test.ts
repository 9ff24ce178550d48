/** More order events at once than Bellhop takes into memory. */
import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ADMIN_TOKEN } from '../testing/bellhop.ts';
import { describeWebhooksOnEachEngine, EVENTS, newEvent, newSender } from './webhook-bellhop.ts';

const MOST_BODY_BYTES = 16 * 1_048_576;

describeWebhooksOnEachEngine(
  'too many order events at once',
  { BELLHOP_ROLES: 'back-office' },
  (bellhop) => {
    /** A request that has announced its body and does not send it. */
    function holdRoom(bytes: number): () => void {
      const held = request(bellhop.addresses.backOffice + EVENTS, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${ADMIN_TOKEN}`,
          'content-type': 'application/json',
          'content-length': bytes,
        },
      });
      held.on('error', () => {});
      held.flushHeaders();
      onTestFinished(() => void held.destroy());
      return () => held.destroy();
    }

    test('are refused with 503 and Retry-After until there is room again', async () => {
      const sender = await newSender(bellhop);
      const post = () => bellhop.support('POST', EVENTS, newEvent(sender));
      const held: (() => void)[] = [];
      // One gets in once it is alone: not while the event before it is still being answered.
      await expect
        .poll(async () => {
          const { status } = await post();
          if (status === 202) held.push(holdRoom(MOST_BODY_BYTES));
          return status;
        })
        .toBe(503);
      const { status, headers, body } = await post();
      expect([status, headers.get('retry-after'), body.code]).toEqual([
        503,
        '1',
        'too_many_events',
      ]);
      const metrics = await (await fetch(`${bellhop.addresses.backOffice}/metrics`)).text();
      expect(metrics).toMatch(
        /^bellhop_order_requests_refused_total{environment="production"} [1-9]/m,
      );
      expect(metrics).toContain('bellhop_order_events_waiting{environment="production"} 0');
      // Everything else is served meanwhile.
      expect((await bellhop.support('GET', '/support/v1/production/partners')).status).toBe(200);
      for (const letGo of held) letGo();
      await expect.poll(async () => (await post()).status).toBe(202);
    });

    test('do not take the room of those that the sender gave up', async () => {
      const sender = await newSender(bellhop);
      for (let n = 0; n < 20; n++) holdRoom(MOST_BODY_BYTES)();
      await expect
        .poll(async () => (await bellhop.support('POST', EVENTS, newEvent(sender))).status)
        .toBe(202);
    });
  },
);
