/** Reading neither delays order events nor misses what was just changed. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder } from '../../test/support.ts';
import { connect } from '../src/store/sqlite/connection.ts';
import { ADMIN_TOKEN, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { signedInBrowser } from '../testing/portal-browser.ts';

/** Together, these reads take the time of hundreds of events: an event that waits for none of them is accepted long before the last. */
const DELIVERIES = 60_000;
const READS = 20;

test('an event is accepted while lists are read without a match', async () => {
  const { bellhop, browser, partnerId } = await withManyDeliveries();
  const ended: string[] = [];
  const counts = Array.from({ length: READS }, async () => {
    const { status } = await browser.get('deliveries/count?type=cancelled');
    ended.push('count');
    return status;
  });
  // Sent after the counts have arrived.
  await browser.get('me');
  await report(bellhop, partnerId);
  ended.push('event');
  // Readers have a low priority: on a busy machine the last of them may run out of time.
  for (const status of await Promise.all(counts)) expect([200, 503]).toContain(status);
  expect(ended.indexOf('event')).toBeLessThan(READS);
});

test('a stop does not wait for what is being read', async () => {
  const { bellhop, browser } = await withManyDeliveries();
  const counts = Array.from({ length: READS }, () =>
    browser.get('deliveries/count?type=cancelled').then(({ status }) => status),
  );
  const ended = Promise.allSettled(counts);
  await browser.get('me');
  await bellhop.stop();
  // Those that were cut off had no reply.
  for (const one of await ended) {
    if (one.status === 'fulfilled') expect([200, 503]).toContain(one.value);
  }
});

async function withManyDeliveries() {
  const folder = await dataFolder();
  const bellhop = await startBellhop({
    BELLHOP_DATA_DIR: folder,
    BELLHOP_ENVIRONMENTS: 'sandbox',
  });
  const { partnerId } = await bellhop.newKey('sandbox');
  const browser = await signedInBrowser(bellhop, 'sandbox', partnerId);
  const connection = connect(join(folder, 'sandbox', 'bellhop.db'));
  connection.exec(`
    insert into delivery (event_id, type, partner_id, partner_order_id, accepted_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${DELIVERIES})
    select 'old-' || n, 'created', '${partnerId}', 'order-' || n, 1000000 + n from numbers`);
  connection.close();
  return { bellhop, browser, partnerId };
}

async function report({ addresses }: TestBellhop, partnerId: string): Promise<void> {
  const event = { event_id: 'new', type: 'created', partner_id: partnerId, partner_order_id: '1' };
  const reply = await fetch(`${addresses.backOffice}/orders/v1/sandbox/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  expect(reply.status).toBe(202);
}
