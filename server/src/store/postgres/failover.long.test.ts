/**
 * What a node does about a failover, without one: the mark of the history names another server, and rows are deleted
 * that a new primary would lack. Whole failovers are in server/e2e/failover.long.test.ts.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { URL } from '../../../testing/conformance/queue/setup.ts';
import { databaseAt, Rig, type TestMidoffice } from '../../../testing/delivery-rig.ts';
import { eventually } from '../../../testing/eventually.ts';
import { outcomeOf, QueueOwner } from '../../../testing/queue-owner.ts';
import { hang, status } from '../../../testing/webhook-receiver.ts';
import { deliverySeq } from '../../delivery/orders/order-event.ts';
import type { Due, Settlement } from '../../delivery/stages.ts';
import { updatePartner } from '../../resources/partners/change-partner.ts';
import type { Failovers } from '../store.ts';
import { RESTORING_MS } from './history.ts';

const TABLES = ['delivery', 'pending', 'attempt'] as const;

describeWithPostgres('a failover', (_empty, databaseWithTables) => {
  async function open() {
    const url = await databaseWithTables();
    const rig = await Rig.open(databaseAt(url));
    return { url, rig };
  }

  /** Resolves when this node has stored again what it could. */
  async function failOver({ store }: Rig): Promise<Failovers> {
    const failovers = store.failovers as Failovers;
    const { count } = failovers;
    await sql`update meta set value = '{"id":"lost","server":"elsewhere"}' where name = 'history'`.execute(
      store.db,
    );
    await eventually(
      async () => failovers,
      (now) => now.count === count + 1 && !now.isRestoring,
    );
    return failovers;
  }

  async function lose({ store }: Rig): Promise<void> {
    for (const table of TABLES) await store.db.deleteFrom(table).execute();
  }

  async function deliver(rig: Rig, owner: QueueOwner, { id }: TestMidoffice): Promise<Settlement> {
    const [due] = await owner.begin({ [id]: 1 });
    const settlement = outcomeOf(due as Due, rig.clock.now(), 'delivered');
    await owner.settleEach([settlement]);
    return settlement;
  }

  describe('to another server', () => {
    test('voids every epoch, and gives out no number twice', async () => {
      const { rig } = await open();
      const owner = await QueueOwner.of(rig);
      const midoffice = await rig.midoffice(URL);
      const [before = ''] = await rig.accept(midoffice, ['before']);
      const begun = await owner.begin({ [midoffice.id]: 1 });
      await failOver(rig);
      expect(await owner.settle(begun, 'delivered')).toEqual([]);
      const [after = ''] = await rig.accept(midoffice, ['after']);
      expect(deliverySeq(after)).toBeGreaterThan((deliverySeq(before) as number) + 1_000_000);
      expect(after.length).toBeLessThanOrEqual('del_'.length + 15);
      const again = new QueueOwner(rig);
      await eventually(
        () => again.take(),
        () => again.epochs.size === 64,
      );
      for (const [shard, epoch] of again.epochs) {
        expect(epoch).toBeGreaterThan((owner.epochs.get(shard) as number) + 1);
      }
    });

    test('leaves the shards to nobody until nodes had time to store again', async () => {
      const { rig } = await open();
      await failOver(rig);
      const { rows } = await sql<{ left: number }>`
        select min(until) - (extract(epoch from clock_timestamp()) * 1000)::bigint as left
          from shard where node = 'restoring'`.execute(rig.store.db);
      expect(rows[0]?.left).toBeLessThanOrEqual(RESTORING_MS);
      const owner = new QueueOwner(rig);
      if ((rows[0]?.left ?? 0) > 500) expect(await owner.take()).toEqual([]);
    });
  });

  test('what was accepted, attempted and changed is stored again as it was', async () => {
    const { rig } = await open();
    const owner = await QueueOwner.of(rig);
    const midoffice = await rig.midoffice(URL);
    const [delivered = '', waiting = ''] = await rig.accept(midoffice, ['delivered', 'waiting']);
    await deliver(rig, owner, midoffice);
    await updatePartner(rig.environment, 'Ann', midoffice.partnerId, { name: 'Renamed' });
    const before = [await rig.show(delivered), await rig.show(waiting)];
    await lose(rig);
    await rig.store.db.deleteFrom('audit').where('actor', '=', 'Ann').execute();
    await rig.store.db.updateTable('partner').set({ name: 'Old' }).execute();

    const { restored, notRestored } = await failOver(rig);
    expect({ restored, notRestored }).toEqual({ restored: 4, notRestored: 0 });
    expect([await rig.show(delivered), await rig.show(waiting)]).toEqual(before);
    const partners = await rig.store.db.selectFrom('partner').select('name').execute();
    expect(partners).toEqual([{ name: 'Renamed' }]);
    // And nothing of it a second time.
    expect((await failOver(rig)).restored).toBe(4);
  });

  test('an outcome that only its node knows is stored although others have attempted the delivery', async () => {
    const { rig } = await open();
    const owner = await QueueOwner.of(rig);
    const midoffice = await rig.midoffice(URL);
    const [id = ''] = await rig.accept(midoffice, ['order']);
    const { due } = await deliver(rig, owner, midoffice);
    await sql`update attempt set signature_token = 'of another node'`.execute(rig.store.db);
    await failOver(rig);
    const { attempts } = await rig.show(id);
    expect(attempts).toMatchObject([
      { number: 1, signature_token: 'of another node' },
      { number: 2, signature_token: 'token' },
    ]);
    expect(due.seq).toBe(deliverySeq(id));
  });

  test('a promotion that comes late finds everything kept from before', async () => {
    const { rig } = await open();
    const midoffice = await rig.midoffice(URL);
    const [id = ''] = await rig.accept(midoffice, ['order']);
    await lose(rig);
    rig.clock.advance(3_600_000);
    await failOver(rig);
    expect(await rig.show(id)).toMatchObject({ state: 'pending' });
  });

  test('an event whose id was used for another one meanwhile is named', async () => {
    const { url, rig } = await open();
    const midoffice = await rig.midoffice(URL);
    const again = { event_id: 'used twice' };
    await rig.accept(midoffice, ['first'], again);
    await lose(rig);
    const other = await Rig.open(databaseAt(url), { clock: rig.clock });
    await other.accept(midoffice, ['second'], again);
    const { restored, notRestored } = await failOver(rig);
    expect({ restored, notRestored }).toEqual({ restored: 0, notRestored: 1 });
  });

  test('an event that was reported again meanwhile is not sent again, if it was delivered', async () => {
    const { url, rig } = await open();
    const owner = await QueueOwner.of(rig);
    const midoffice = await rig.midoffice(URL);
    const again = { event_id: 'reported again' };
    await rig.accept(midoffice, ['order'], again);
    await deliver(rig, owner, midoffice);
    await lose(rig);
    const other = await Rig.open(databaseAt(url), { clock: rig.clock });
    const [id = ''] = await other.accept(midoffice, ['order'], again);
    await failOver(rig);
    expect(await rig.show(id)).toMatchObject({ state: 'delivered', attempts: [{ number: 1 }] });
  });

  test('an event that another node has stored as cancelled is not sent', async () => {
    const { rig } = await open();
    const midoffice = await rig.midoffice(URL);
    const [id = ''] = await rig.accept(midoffice, ['order']);
    await lose(rig);
    const cancelled = { seq: deliverySeq(id) as number, midoffice_id: midoffice.id, at: 1 };
    await rig.store.db
      .insertInto('given_up')
      .values({
        ...cancelled,
        state: 'cancelled',
        why: null,
        last_result: null,
        acknowledged_at: null,
      })
      .execute();
    await failOver(rig);
    expect(await rig.show(id)).toMatchObject({ state: 'cancelled' });
  });

  test('a change is not made again over a newer one, nor where it is not possible any more', async () => {
    const { rig } = await open();
    const { partnerId } = await rig.midoffice(URL);
    const { db } = rig.store;
    const rename = (name: string, actor: string) =>
      updatePartner(rig.environment, actor, partnerId, { name });
    await rename('First', 'Ann');
    rig.clock.advance(1_000);
    await rename('Second', 'Ben');
    await db.deleteFrom('audit').where('actor', '=', 'Ann').execute();
    const { restored, notRestored } = await failOver(rig);
    expect({ restored, notRestored }).toEqual({ restored: 0, notRestored: 1 });
    const partners = await db.selectFrom('partner').select('name').execute();
    expect(partners).toEqual([{ name: 'Second' }]);
  });

  test('a node that does not come back is named, unless it was gone before', async () => {
    const { rig } = await open();
    const now = Date.now();
    rig.clock.setWallClock(now);
    const rows = [
      { id: 'died with the primary', until: now - 3_000 },
      { id: 'is back', until: now + 60_000 },
      { id: 'crashed long ago', until: now - 60_000 },
    ].map((row) => ({ ...row, host: 'host', since: 0 }));
    await rig.store.db.insertInto('delivery_node').values(rows).execute();
    const failovers = await failOver(rig);
    rig.clock.advance(10_000);
    await eventually(
      async () => failovers.nodesLost,
      (lost) => lost > 0,
    );
    expect(failovers.nodesLost).toBe(1);
  });

  test('an event whose node is gone is stored again by the node that sends it', async () => {
    const { url, rig: gone } = await open();
    const rig = await Rig.open(databaseAt(url), { clock: gone.clock });
    const receiver = await rig.receiver(hang);
    const midoffice = await gone.midoffice(receiver.url);
    await rig.start();
    const [id = ''] = await gone.accept(midoffice, ['order']);
    await receiver.came(1);
    await gone.close();
    await lose(rig);
    await failOver(rig);
    receiver.answerAll(status(200));
    await receiver.came(2);
    await eventually(
      () => rig.show(id),
      ({ state }) => state === 'delivered',
    );
    expect(receiver.received.map(({ orderId }) => orderId)).toEqual(['order', 'order']);
  });
});

describeWithPostgres(
  'a PostgreSQL that does not tell its timeline',
  (_empty, databaseWithTables) => {
    test('is used, and a restart of it counts as a failover', async () => {
      const url = await databaseWithTables();
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      onTestFinished(() => admin.end());
      const role = `plain_${randomBytes(4).toString('hex')}`;
      await admin.query(`
      create role ${role} login;
      grant all on database ${new globalThis.URL(url).pathname.slice(1)} to ${role};
      grant all on schema bellhop to ${role};
      grant all on all tables in schema bellhop to ${role};
      grant all on all sequences in schema bellhop to ${role};
      revoke execute on function pg_control_system() from public`);
      onTestFinished(
        async () => void (await admin.query(`drop owned by ${role}; drop role ${role}`)),
      );
      const plainUrl = new globalThis.URL(url);
      plainUrl.username = role;
      const { store } = await Rig.open(databaseAt(plainUrl.href));
      const failovers = store.failovers as Failovers;
      const { value } = await store.db
        .selectFrom('meta')
        .select('value')
        .where('name', '=', 'history')
        .executeTakeFirstOrThrow();
      expect(JSON.parse(value).server).toMatch(/^started \d+\.\d+$/);
      // As after a restart.
      const before = value.replace(/started [\d.]+/, 'started 1.5');
      await store.db
        .updateTable('meta')
        .set({ value: before })
        .where('name', '=', 'history')
        .execute();
      await eventually(
        async () => failovers.count,
        (count) => count === 1,
      );
    });
  },
);

describeWithPostgres('an attempt whose number another one has', (_empty, databaseWithTables) => {
  test('is recorded under the next one, so that the delivery ends', async () => {
    const rig = await Rig.open(databaseAt(await databaseWithTables()));
    const owner = await QueueOwner.of(rig);
    const midoffice = await rig.midoffice(URL);
    const [id = ''] = await rig.accept(midoffice, ['order']);
    const [due] = await owner.begin({ [midoffice.id]: 1 });
    const orphan = outcomeOf(due as Due, rig.clock.now(), 'delivered').attempt;
    await rig.store.db
      .insertInto('attempt')
      .values({ ...orphan, delivery_seq: (due as Due).seq, signature_token: 'orphan' })
      .execute();
    expect(await owner.settle([due as Due], 'delivered')).toMatchObject([{ state: 'delivered' }]);
    expect(await rig.show(id)).toMatchObject({
      state: 'delivered',
      attempts: [{ number: 1 }, { number: 2 }],
    });
    expect(await owner.begin({ [midoffice.id]: 1 })).toEqual([]);
  });
});
