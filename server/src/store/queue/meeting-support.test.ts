/** What the owner of a lane and support do to one order at the same moment, on PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { ORDERED, pendingRow, seqOf, URL } from '../../../testing/conformance/queue/setup.ts';
import { databaseAt, Rig } from '../../../testing/delivery-rig.ts';
import { QueueOwner } from '../../../testing/queue-owner.ts';
import type { Settled } from '../../delivery/queue.ts';
import { retryDelivery } from '../../resources/deliveries/change-delivery.ts';
import { updatePartner } from '../../resources/partners/change-partner.ts';
import type { Database } from '../schema.ts';
import { restate } from './restate-order.ts';
import { type QueueVerbs, queueVerbs } from './verbs.ts';

describeWithPostgres('support meets the owner of an order', (_empty, databaseWithTables) => {
  async function threeOfOneOrder() {
    const rig = await Rig.open(databaseAt(await databaseWithTables()));
    const owner = await QueueOwner.of(rig);
    const midoffice = await rig.midoffice(URL, ORDERED);
    const ids = (await rig.accept(midoffice, ['a', 'a', 'a'])) as [string, string, string];
    return { rig, owner, midoffice, ids };
  }

  /** Support's verb, done but not committed until `commit` is called. */
  async function uncommitted(rig: Rig, act: (verbs: QueueVerbs, db: Database) => Promise<unknown>) {
    const done = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const transaction = rig.store.db.transaction().execute(async (db) => {
      await act(
        queueVerbs(db, rig.clock.now(), async () => {}),
        db,
      );
      done.resolve();
      await commit.promise;
    });
    await done.promise;
    return () => {
      commit.resolve();
      return transaction;
    };
  }

  async function someoneWaits({ store }: Rig): Promise<void> {
    for (;;) {
      const { rows } = await sql`
        select 1 from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`.execute(store.db);
      if (rows.length > 0) return;
      await sleep(1);
    }
  }

  test('the last of three is freed when the first is delivered and the second cancelled', async () => {
    const { rig, owner, midoffice, ids } = await threeOfOneOrder();
    const begun = await owner.begin({ [midoffice.id]: 5 });
    expect(begun.map(({ seq }) => seq)).toEqual([seqOf(ids[0])]);
    const commit = await uncommitted(rig, (verbs) => verbs.cancel(seqOf(ids[1])));
    const settled = owner.settle(begun, 'delivered');
    await someoneWaits(rig);
    await Promise.all([commit(), settled]);
    expect(await pendingRow(rig, ids[2])).toMatchObject({ due_at: expect.any(Number) });
  });

  test('an event is not parked behind one that no longer belongs to an order', async () => {
    const { rig, owner, midoffice, ids } = await threeOfOneOrder();
    const commit = await uncommitted(rig, (_verbs, db) =>
      restate(db, { id: midoffice.id, ordered: false }, ids.map(seqOf), rig.clock.now()),
    );
    // By a node that does not know of the change yet, so that it is not restated.
    const [late] = (await rig.accept(midoffice, ['a'])) as [string];
    const reading = owner.read({ [midoffice.id]: 5 });
    await someoneWaits(rig);
    await Promise.all([commit(), reading]);
    expect(await pendingRow(rig, ids[0])).toMatchObject({ order_key: null });
    expect(await pendingRow(rig, late)).toMatchObject({
      order_key: expect.any(String),
      due_at: expect.any(Number),
    });
  });

  test('an event is not parked that no longer belongs to an order', async () => {
    const { rig, owner, midoffice, ids } = await threeOfOneOrder();
    const commit = await uncommitted(rig, (_verbs, db) =>
      restate(db, { id: midoffice.id, ordered: false }, ids.map(seqOf), rig.clock.now()),
    );
    const reading = owner.read({ [midoffice.id]: 5 });
    await someoneWaits(rig);
    await Promise.all([commit(), reading]);
    for (const id of ids) {
      expect(await pendingRow(rig, id)).toMatchObject({
        order_key: null,
        due_at: expect.any(Number),
      });
    }
  });

  test('a delivery found pending by a retry is not given up before the retry is stored', async () => {
    const rig = await Rig.open(databaseAt(await databaseWithTables()));
    const owner = await QueueOwner.of(rig);
    const midoffice = await rig.midoffice(URL);
    const [id] = (await rig.accept(midoffice, ['a'])) as [string];
    const begun = await owner.begin({ [midoffice.id]: 1 });
    // If it were given up, it would have to be sent there.
    const { id: midoffice_id } = await rig.midoffice(URL);
    await updatePartner(rig.environment, 'test', midoffice.partnerId, { midoffice_id });
    let settled: Promise<Settled[]> | undefined;
    // Between what the retry reads and what it writes.
    await retryDelivery(rig.environment, 'test', id, async () => {
      settled = owner.settle(begun, 'exhausted');
      await Promise.race([settled, someoneWaits(rig)]);
    });
    expect(await settled).toMatchObject([{ state: 'pending', due_at: rig.clock.now() }]);
    expect(await pendingRow(rig, id)).toMatchObject({
      midoffice_id: midoffice.id,
      attempts_made: 1,
      retries_used: 0,
    });
  });
});
