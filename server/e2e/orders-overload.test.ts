/** More order events at once than Bellhop takes into memory. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { LARGEST_BATCH_BYTES, MOST_BODY_BYTES } from '../src/delivery/orders/intake.ts';
import { ADMIN_TOKEN } from '../testing/bellhop.ts';
import { EVENTS, newEvent, newSender, type Sender, sharedWebhooks } from './webhook-bellhop.ts';
import { readReply } from './wire.ts';

const bellhop = sharedWebhooks({ BELLHOP_ROLES: 'back-office' });

const post = (sender: Sender) => bellhop.support('POST', EVENTS, newEvent(sender));

/** A request that announces the largest body; what is sent of it is for the test to say. */
function beginBatch(): ClientRequest {
  const batch = request(bellhop.addresses.backOffice + EVENTS, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': 'application/json',
      'content-length': LARGEST_BATCH_BYTES,
    },
  });
  batch.on('error', () => {});
  batch.flushHeaders();
  onTestFinished(() => void batch.destroy());
  return batch;
}

/** Large enough that two do not fit, and not complete yet. */
function mostOfABatch(sender: Sender): { text: string; end: string } {
  const escaped = '\\u20ac'.repeat(1_024);
  const events = Array.from({ length: 999 }, () =>
    JSON.stringify(newEvent(sender, { status: '€', agreement_number: '€' })).replaceAll(
      '€',
      escaped,
    ),
  );
  const text = `{"events":[${events.join(`,${' '.repeat(10_000)}`)}`;
  expect(2 * text.length).toBeGreaterThan(MOST_BODY_BYTES);
  return { text, end: ']}'.padEnd(LARGEST_BATCH_BYTES - text.length) };
}

test('the largest body gives way with 503 and Retry-After, and all others are taken in', async () => {
  const sender = await newSender(bellhop);
  const { text, end } = mostOfABatch(sender);
  const batches = [beginBatch(), beginBatch()];
  const replies = batches.map(async (batch) => {
    const [response] = (await once(batch, 'response')) as [IncomingMessage];
    return { batch, ...(await readReply(response)) };
  });
  for (const batch of batches) batch.write(text);
  const refused = await Promise.race(replies);
  expect([refused.status, refused.headers['retry-after'], refused.json.code]).toEqual([
    503,
    '1',
    'too_many_events',
  ]);
  expect((await post(sender)).status).toBe(202);
  const metrics = await (await fetch(`${bellhop.addresses.backOffice}/metrics`)).text();
  expect(metrics).toContain('bellhop_order_requests_refused_total{environment="production"} 1\n');
  const other = batches.findIndex((batch) => batch !== refused.batch);
  batches[other]?.end(end);
  const stored = await replies[other];
  expect([stored?.status, stored?.json.results.length]).toEqual([202, 999]);
});

test('a sender that announces much and sends nothing keeps nobody out', async () => {
  const sender = await newSender(bellhop);
  const silent = Array.from({ length: 20 }, beginBatch);
  for (const batch of silent) batch.write('{');
  for (let i = 0; i < 3; i++) expect((await post(sender)).status).toBe(202);
});
