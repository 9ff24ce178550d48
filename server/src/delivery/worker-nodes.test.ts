/** Several workers on one PostgreSQL: they share shards, take over from each other, and hand over. */
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../../test/support.ts';
import { databaseAt, Rig } from '../../testing/delivery-rig.ts';
import { eventually } from '../../testing/eventually.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { startPostgresProxy } from '../../testing/postgres-proxy.ts';
import { QueueOwner } from '../../testing/queue-owner.ts';
import { hang, status } from '../../testing/webhook-receiver.ts';
import { retryDelivery } from '../resources/deliveries/change-delivery.ts';

const FIRST_WAIT_MS = 30_000;
const SHORT_LEASE = { leaseMs: 600 };
/** So long that no lease ends during a test. */
const LONG_LEASE = { leaseMs: 3_600_000 };

const numbered = (count: number, name = 'order') =>
  Array.from({ length: count }, (_, n) => `${name} ${n}`);

describeWithPostgres('nodes on one database', (_empty, databaseWithTables) => {
  async function twoNodes(lease = {}, leaseClock?: ManualClock) {
    const database = databaseAt(await databaseWithTables(), lease);
    const first = await Rig.open(database, { ...(leaseClock && { leaseClock }) });
    const second = await Rig.open(database, { clock: new ManualClock(first.clock.now()) });
    return { first, second };
  }

  function shardsOf({ metrics }: Rig): number {
    const line = /^bellhop_delivery_shards_owned\{.*\} (\d+)$/m.exec(metrics.text());
    return Number(line?.[1]);
  }

  test('attempt each delivery once, and share the max_in_flight of a midoffice', async () => {
    const { first, second } = await twoNodes();
    await Promise.all([first.start(), second.start()]);
    const receiver = await first.receiver((webhook, response, request) =>
      setImmediate(() => status(200)(webhook, response, request)),
    );
    const midoffices = await Promise.all(
      [1, 2, 3, 4].map(() => first.midoffice(receiver.url, { max_in_flight: 2 })),
    );
    const accepted = await Promise.all(
      midoffices.map((midoffice, n) =>
        (n % 2 ? first : second).accept(midoffice, numbered(50, `m${n}`)),
      ),
    );
    await receiver.came(200);
    await Promise.all([first.stop(), second.stop()]);
    expect(receiver.received).toHaveLength(200);
    expect(new Set(receiver.received.map(({ orderId }) => orderId)).size).toBe(200);
    expect(receiver.mostInFlight).toBeLessThanOrEqual(8);
    expect(first.attempts.length + second.attempts.length).toBe(200);
    expect(new Set(await first.states(accepted.flat()))).toEqual(new Set(['delivered']));
  });

  test('keep the pace of a midoffice when it moves: the next owner begins after a second', async () => {
    const { first, second } = await twoNodes();
    const receiver = await first.receiver();
    const paced = await first.midoffice(receiver.url, { max_per_second: 3 });
    const other = await first.midoffice(receiver.url);
    await first.start();
    await first.accept(paced, numbered(5));
    for (const [n, ms] of [1_050, 350, 350].entries()) {
      first.clock.advance(ms);
      await first.settled(n + 1);
    }
    await first.stop();
    await second.start();
    await second.accept(other, ['other']);
    await second.settled(1);
    expect(receiver.received).toHaveLength(4);
    for (const [n, ms] of [1_050, 350].entries()) {
      second.clock.advance(ms);
      await second.settled(n + 2);
    }
    expect(new Set(receiver.received.map(({ orderId }) => orderId)).size).toBe(6);
  });

  test('wake each other: one accepts, the other delivers', async () => {
    const { first, second } = await twoNodes();
    await second.start();
    const receiver = await first.receiver();
    const midoffice = await first.midoffice(receiver.url);
    const ids = await first.accept(midoffice, ['a']);
    await second.settled(1);
    await retryDelivery(first.environment, 'test', ids[0] as string);
    await second.settled(2);
    expect(receiver.received).toHaveLength(2);
  });

  test('take over from a frozen node, and discard its late outcomes', async () => {
    // The first node's clock stands still: it neither renews its leases nor notices that they end.
    const { first, second } = await twoNodes(SHORT_LEASE, new ManualClock());
    const receiver = await first.receiver(hang);
    const midoffice = await first.midoffice(receiver.url);
    await first.start();
    const [id] = (await first.accept(midoffice, ['order'])) as [string];
    await receiver.came(1);
    // Only later requests are answered.
    receiver.answer = status(200);
    await second.start();
    await second.settled(1);
    const delivered = await second.show(id);
    expect(delivered).toMatchObject({ state: 'delivered', attempts_made: 1 });

    receiver.answerAll(status(500));
    await first.logged('the shard has another owner; an outcome was discarded');
    expect(first.attempts).toEqual([]);
    expect(await first.show(id)).toEqual(delivered);
  });

  test('abort attempts when their lease ends, and repeat them when they get it back', async () => {
    const leaseClock = new ManualClock();
    const { first } = await twoNodes(LONG_LEASE, leaseClock);
    const receiver = await first.receiver(hang);
    await first.start();
    const midoffice = await first.midoffice(receiver.url);
    const ids = await first.accept(midoffice, ['order']);
    await receiver.came(1);
    receiver.answer = status(200);
    // Two timers fire at once: the end of the lease, and a renewal that is answered only after it.
    leaseClock.advance(LONG_LEASE.leaseMs);
    await first.logged('the leases of shards have ended before they could be renewed');
    await first.settled(1);
    expect(receiver.received).toHaveLength(2);
    expect(await first.show(ids[0] as string)).toMatchObject({
      state: 'delivered',
      attempts_made: 1,
    });
  });

  test('share shards and their midoffices evenly', async () => {
    const { first, second } = await twoNodes({ leaseMs: 2_000 });
    await first.start();
    expect(shardsOf(first)).toBe(64);
    await second.start();
    await eventually(
      async () => [shardsOf(first), shardsOf(second)],
      ([a, b]) => a === 32 && b === 32,
    );
    const receiver = await first.receiver();
    const midoffices = await Promise.all(
      Array.from({ length: 12 }, () => first.midoffice(receiver.url)),
    );
    for (const midoffice of midoffices) await first.accept(midoffice, ['shared']);
    await eventually(
      async () => first.attempts.length + second.attempts.length,
      (count) => count === 12,
    );
    expect(receiver.received).toHaveLength(12);
  });

  test('take more than their share if another live node takes none', async () => {
    // Its clock stands still, so that the next renewal comes only when the test wants it.
    const leaseClock = new ManualClock();
    const { first } = await twoNodes(LONG_LEASE, leaseClock);
    const until = Date.now() + LONG_LEASE.leaseMs;
    const ghost = { id: 'ghost', host: 'elsewhere', since: 0, until };
    await first.store.db.insertInto('delivery_node').values(ghost).execute();
    await first.start();
    expect(shardsOf(first)).toBe(32);
    leaseClock.advance(LONG_LEASE.leaseMs / 2);
    await eventually(
      async () => shardsOf(first),
      (count) => count === 64,
    );
  });

  test('attempt each waiting delivery once after losing a shard and getting it back', async () => {
    const { first, second } = await twoNodes();
    const receiver = await first.receiver(status(500));
    const midoffice = await first.midoffice(receiver.url);
    await first.start();
    await first.accept(midoffice, ['a']);
    await first.settled(1);
    // Its lane waits for the retry. The other node takes the shards and releases them at once.
    const other = await QueueOwner.of(second);
    await first.store.db.updateTable('shard').set({ until: 0 }).execute();
    while (other.epochs.size < 64) await other.take();
    await first.store.db.updateTable('shard').set({ until: 0 }).execute();
    await eventually(
      async () => shardsOf(first),
      (count) => count === 64,
    );
    receiver.answer = hang;
    first.clock.advance(FIRST_WAIT_MS);
    await receiver.came(2);
    // A duplicate would arrive before this one.
    await first.accept(midoffice, ['b']);
    await receiver.came(3);
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['a', 'a', 'b']);
  });

  test('take shards as soon as another node releases them', async () => {
    const { first, second } = await twoNodes(LONG_LEASE);
    await first.start();
    await second.start();
    expect([shardsOf(first), shardsOf(second)]).toEqual([64, 0]);
    const receiver = await first.receiver();
    const midoffice = await first.midoffice(receiver.url);
    await first.stop();
    await second.accept(midoffice, ['after the handover']);
    await second.settled(1);
    expect(shardsOf(second)).toBe(64);
  });

  test('continue soon after answers of the database were lost', async () => {
    const proxy = await startPostgresProxy(await databaseWithTables());
    const rig = await Rig.open(databaseAt(proxy.url));
    const receiver = await rig.receiver();
    const midoffice = await rig.midoffice(receiver.url);
    await rig.start();
    await rig.accept(midoffice, ['before']);
    await rig.settled(1);
    proxy.swallow();
    const lost = Promise.allSettled(
      [1, 2, 3, 4, 5, 6, 7, 8].map(() => rig.accept(midoffice, ['lost'])),
    );
    await rig.logged('the leases of shards cannot be renewed; trying again');
    proxy.restore();
    // Their answers never arrive, and the worker gives up on them sooner than on a slow report.
    await lost;
    await eventually(
      () => rig.accept(midoffice, ['after']).catch(() => []),
      (ids) => ids.length === 1,
    );
    await eventually(
      async () => receiver.received.some(({ orderId }) => orderId === 'after'),
      (received) => received,
    );
  });
});
