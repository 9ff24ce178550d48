/** The recipe of docs/booking-core/outbox.md with a real PostgreSQL, real relays and a real Bellhop. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DELIVERIES, EVENTS, newSender, WEBHOOKS } from '../../server/e2e/webhook-bellhop.ts';
import { ADMIN_TOKEN, spawnBellhop } from '../../server/testing/bellhop.ts';
import { startReceiver, type Webhook } from '../../server/testing/webhook-receiver.ts';
import { describeWithPostgres, freePort, temporaryFolder } from '../../test/support.ts';
import { connect, newCore, PATIENT } from './core-database.ts';
import { startRelay } from './relay-process.ts';

// These tests start whole processes, which is slow on a busy machine.
describeWithPostgres('the outbox', (newDatabase) => {
  test('sends each committed event once and in its order, whatever is killed, frozen or down', async () => {
    const core = await newCore(newDatabase);
    const receiver = await startReceiver();
    const settings = {
      ...WEBHOOKS,
      BELLHOP_DATA_DIR: await temporaryFolder(),
      BELLHOP_BACK_OFFICE_PORT: String(await freePort()),
    };
    const first = await spawnBellhop(settings);
    const sender = await newSender(first, receiver.url, { delivery_order: 'per_order' });
    const orders = Array.from({ length: 12 }, (_, n) => `order ${n}`);
    for (const id of orders) await core.addOrder(id, sender);

    const start = () =>
      startRelay({
        // A relay that hangs loses its lock sooner than it would by default.
        OUTBOX_DATABASE_URL: `${core.url}?options=-c%20idle_session_timeout%3D3000`,
        OUTBOX_EVENTS_URL: first.addresses.backOffice + EVENTS,
        OUTBOX_TOKEN: ADMIN_TOKEN,
        OUTBOX_BATCH: '20',
      });
    const one = start();
    await one.said('sending');
    const two = start();
    await two.said('waiting for the lock of the outbox');
    const writing = await keepWriting(core.url, orders);
    const more = () => receiver.came(receiver.received.length + 25);
    await more();

    one.child.kill('SIGSTOP');
    await two.said('sending');
    await more();
    one.child.kill('SIGCONT');
    await one.said('cannot use the database of the outbox');
    await more();

    const heard = one.lines.length;
    await two.end('SIGKILL');
    await one.said('sending', heard);
    const three = start();
    await three.said('waiting for the lock of the outbox');
    await more();

    await first.kill();
    // During a long pause, PostgreSQL may give the lock to the other one.
    const complaint = 'Bellhop accepts no events now';
    const lag = await Promise.race([one.said(complaint, heard), three.said(complaint)]);
    expect(lag.level).toBe('warn');
    expect(lag.waiting).toBeGreaterThan(0);
    expect(lag.oldestSeconds).toBeGreaterThan(0);
    const second = await spawnBellhop(settings);
    await more();

    const committed = await writing.end();
    await expect.poll(() => core.waiting(), PATIENT).toBe(0);
    const total = [...committed.values()].reduce((sum, count) => sum + count, 0);
    await expect.poll(() => firstReceptions(receiver.received).length, PATIENT).toBe(total);
    for (const id of orders) {
      const versions = firstReceptions(receiver.received)
        .filter(({ orderId }) => orderId === id)
        .map(({ json }) => Number(json.data.status));
      const wanted = Array.from({ length: committed.get(id) ?? 0 }, (_, n) => n + 1);
      expect(versions, id).toEqual(wanted);
    }
    const { body } = await second.support(
      'GET',
      `${DELIVERIES}?midoffice_id=${sender.midofficeId}`,
    );
    expect(body.items[0].state).toBe('delivered');
    expect(await one.end('SIGTERM')).toBe(0);
    expect(await three.end('SIGTERM')).toBe(0);
  });
});

/** Changes orders from several connections at once; every third transaction rolls back. */
async function keepWriting(url: string, orders: string[]) {
  const committed = new Map<string, number>();
  let writing = true;
  const writers = await Promise.all(Array.from({ length: 4 }, () => connect(url)));
  const done = writers.map(async (client, w) => {
    for (let n = w; writing; n++) {
      const id = orders[(n * 7 + w) % orders.length] as string;
      await client.query('begin');
      const { rows } = await client.query(
        'update orders set version = version + 1 where id = $1 returning version, partner_id',
        [id],
      );
      await client.query(
        `insert into order_event_outbox (type, partner_id, partner_order_id, status)
         values ('updated', $1, $2, $3)`,
        [rows[0].partner_id, id, rows[0].version],
      );
      await client.query('notify order_event_outbox');
      await client.query(n % 3 === 0 ? 'rollback' : 'commit');
      if (n % 3 !== 0) committed.set(id, Math.max(committed.get(id) ?? 0, rows[0].version));
      await pause(20);
    }
  });
  return {
    async end() {
      writing = false;
      await Promise.all(done);
      return committed;
    },
  };
}

/** A receiver may get a webhook twice, because Bellhop was killed; the first time counts. */
function firstReceptions(received: Webhook[]): Webhook[] {
  const known = new Map<unknown, Webhook>();
  for (const webhook of received) {
    const id = webhook.headers['webhook-id'];
    if (!known.has(id)) known.set(id, webhook);
  }
  return [...known.values()];
}
