/** Several nodes on one PostgreSQL: which node owns which shard, and that no node settles in a lost one. */
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { Condition } from '../../../testing/condition.ts';
import { everything, ORDERED, RETRY, URL } from '../../../testing/conformance/queue/setup.ts';
import { databaseAt, Rig } from '../../../testing/delivery-rig.ts';
import { eventually } from '../../../testing/eventually.ts';
import { QueueOwner } from '../../../testing/queue-owner.ts';
import { type Notice, SHARDS } from '../../delivery/queue.ts';
import type { Due } from '../../delivery/stages.ts';

const IDLE = { inFlight: new Map<number, number>(), isRetiring: false };

describeWithPostgres('several nodes on one PostgreSQL', (_empty, databaseWithTables) => {
  async function twoNodes() {
    const url = await databaseWithTables();
    const first = await Rig.open(databaseAt(url));
    const second = await Rig.open(databaseAt(url), { clock: first.clock });
    return { url, first, second };
  }

  function renew(owner: QueueOwner, state = IDLE) {
    return owner.store.shards.renew(owner.node, state);
  }

  /** How much longer a node's leases last, by the clock that counts. */
  async function leftMs({ store, node }: QueueOwner): Promise<number> {
    const { rows } = await sql<{ left: string }>`
      select min(until) - extract(epoch from clock_timestamp()) * 1000 as left
        from shard where node = ${node.id}`.execute(store.db);
    return Number(rows[0]?.left);
  }

  async function setLeftMs({ store, node }: QueueOwner, ms: number): Promise<void> {
    await sql`update shard set until = (extract(epoch from clock_timestamp()) * 1000)::bigint + ${ms}
               where node = ${node.id}`.execute(store.db);
  }

  test('a lease lasts for leaseMs on the clock of the database, and can be renewed', async () => {
    const { first } = await twoNodes();
    first.clock.setWallClock(Date.UTC(2001, 0, 1));
    const owner = await QueueOwner.of(first);
    const { leaseMs } = owner.store.shards;
    expect(leaseMs).toBeLessThanOrEqual(10_000);
    expect(await leftMs(owner)).toBeGreaterThan(leaseMs - 2_000);
    expect(await leftMs(owner)).toBeLessThanOrEqual(leaseMs + 1);
    await setLeftMs(owner, 500);
    await renew(owner);
    expect(await leftMs(owner)).toBeGreaterThan(leaseMs - 2_000);
  });

  test('shards can be taken over after their lease has ended, and not before', async () => {
    const { first, second } = await twoNodes();
    const before = await QueueOwner.of(first);
    const after = new QueueOwner(second);
    expect(await after.take()).toEqual([]);
    expect(await renew(after)).toMatchObject({ held: [], free: 0 });
    // Nodes need not agree on the time of day.
    first.clock.advance(86_400_000);
    expect(await after.take()).toEqual([]);
    const begunMs = performance.now();
    await setLeftMs(before, 400);
    const taken = await eventually(
      () => after.take(),
      (shards) => shards.length > 0,
    );
    expect(performance.now() - begunMs).toBeGreaterThanOrEqual(400);
    expect(taken).toHaveLength(SHARDS);
    for (const { shard, epoch } of taken) {
      expect(epoch).toBeGreaterThan(before.epochs.get(shard) as number);
    }
    expect(await renew(before)).toMatchObject({ held: [] });
    expect(await before.take()).toEqual([]);
  });

  test('a node that renews late keeps shards that nobody took', async () => {
    const { first } = await twoNodes();
    const owner = await QueueOwner.of(first);
    await owner.endLeases();
    const { held } = await renew(owner);
    expect(new Map(held.map(({ shard, epoch }) => [shard, epoch]))).toEqual(owner.epochs);
  });

  test('a node takes no more than it wants, and released shards are free at once', async () => {
    const { first, second } = await twoNodes();
    const [a, b] = [new QueueOwner(first), new QueueOwner(second)];
    expect(await a.take(40)).toHaveLength(40);
    expect(await renew(a)).toMatchObject({ free: SHARDS - 40 });
    expect(await b.take(10)).toHaveLength(10);
    expect(await b.take(100)).toHaveLength(SHARDS - 50);
    const given = [...a.epochs.keys()].slice(0, 8);
    await a.release(given);
    expect((await renew(a)).held).toHaveLength(32);
    expect(await renew(b)).toMatchObject({ free: 8 });
    // Not another's.
    await a.release([...b.epochs.keys()]);
    expect((await renew(b)).held).toHaveLength(SHARDS - 40);
    const taken = await b.take();
    expect(taken.map(({ shard }) => shard).sort()).toEqual(given.sort());
    for (const { shard, epoch } of taken) {
      expect(epoch).toBeGreaterThan(a.epochs.get(shard) as number);
    }
  });

  test('a node counts while it renews, but not after it retires, leaves or crashes', async () => {
    const { first, second } = await twoNodes();
    const nodes = [first, second, first].map((rig) => new QueueOwner(rig)) as [
      QueueOwner,
      QueueOwner,
      QueueOwner,
    ];
    for (const [n, node] of nodes.entries()) {
      expect(await renew(node)).toMatchObject({ nodes: n + 1, free: SHARDS });
    }
    const [a, b, c] = nodes;
    await b.take(5);
    expect((await renew(b, { ...IDLE, isRetiring: true })).held).toHaveLength(5);
    expect(await renew(a)).toMatchObject({ nodes: 2, free: SHARDS - 5 });
    await b.store.shards.leave(b.node);
    await c.take(7);
    await sql`update delivery_node set until = 0 where id = ${c.node.id}`.execute(c.store.db);
    await c.endLeases();
    expect(await renew(a)).toMatchObject({ nodes: 1, free: SHARDS });
  });

  test('attempts in flight are shown with their shards', async () => {
    const { first } = await twoNodes();
    const owner = await QueueOwner.of(first);
    await renew(owner, {
      ...IDLE,
      inFlight: new Map([
        [3, 12],
        [7, 1],
      ]),
    });
    const shown = async () => {
      const rows = await first.store.db.selectFrom('shard').select(['n', 'in_flight']).execute();
      return rows.filter(({ in_flight }) => in_flight > 0).sort((a, b) => a.n - b.n);
    };
    expect(await shown()).toEqual([
      { n: 3, in_flight: 12 },
      { n: 7, in_flight: 1 },
    ]);
    await renew(owner);
    expect(await shown()).toEqual([]);
  });

  test('two nodes that race for shards never get the same one', async () => {
    const { first, second } = await twoNodes();
    for (let round = 0; round < 10; round++) {
      const owners = Array.from({ length: 8 }, (_, n) => new QueueOwner(n % 2 ? first : second));
      const taken = (await Promise.all(owners.map((owner) => owner.take(20)))).flat();
      const shards = taken.map(({ shard }) => shard);
      expect(new Set(shards).size).toBe(shards.length);
      const held = (await Promise.all(owners.map((owner) => renew(owner)))).flatMap(
        (one) => one.held,
      );
      expect(new Set(held)).toEqual(new Set(taken));
      // Half of them die, half of them leave.
      for (const [n, owner] of owners.entries()) {
        await (n % 2 ? owner.endLeases() : owner.store.shards.leave(owner.node));
      }
    }
  });

  test('a renewal that races a takeover leaves each shard with one owner', async () => {
    const { first, second } = await twoNodes();
    let owner = await QueueOwner.of(first);
    for (let round = 0; round < 15; round++) {
      const next = new QueueOwner(round % 2 ? first : second);
      await owner.endLeases();
      await Promise.all([renew(owner), next.take()]);
      const [kept, taken] = await Promise.all([renew(owner), renew(next)]);
      const shards = [...kept.held, ...taken.held].map(({ shard }) => shard);
      expect(new Set(shards).size).toBe(SHARDS);
      expect(shards).toHaveLength(SHARDS);
      await owner.endLeases();
      await next.take();
      owner = next;
    }
  });

  test('released shards are announced', async () => {
    const { first, second } = await twoNodes();
    const owner = await QueueOwner.of(first);
    const heard: Notice[] = [];
    const told = new Condition();
    second.store.queue.onNotice((notice) => {
      heard.push(notice);
      told.look();
    });
    const isTold = () => told.until(() => heard.some(({ kind }) => kind === 'shards'));
    await owner.release([1]);
    await isTold();
    heard.length = 0;
    await owner.store.shards.leave(owner.node);
    await isTold();
  });

  test('work accepted for a lane of another node is announced to it', async () => {
    const { first, second } = await twoNodes();
    await QueueOwner.of(first);
    const midoffice = await first.midoffice(URL);
    const heard: Notice[] = [];
    const told = new Condition();
    first.store.queue.onNotice((notice) => {
      heard.push(notice);
      told.look();
    });
    await second.accept(midoffice, ['a']);
    await told.until(() =>
      heard.some((one) => one.kind === 'work' && one.midofficeIds.includes(midoffice.id)),
    );
  });

  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin');
    return client;
  }

  async function someoneWaits({ store }: Rig, count = 1): Promise<void> {
    await eventually(
      async () => (await sql`select 1 from pg_locks where not granted`.execute(store.db)).rows,
      (waiting) => waiting.length >= count,
    );
  }

  for (const [name, more] of [
    ['any order', {}],
    ['one order', ORDERED],
  ] as const) {
    for (const how of ['delivered', 'exhausted', RETRY] as const) {
      const what = `${name}, ${JSON.stringify(how)}`;

      test(`a settlement waits for a takeover in progress, and then writes nothing: ${what}`, async () => {
        const { url, first } = await twoNodes();
        const owner = await QueueOwner.of(first);
        const midoffice = await first.midoffice(URL, more);
        await first.accept(midoffice, ['a', 'a']);
        const [due] = (await owner.begin({ [midoffice.id]: 1 })) as [Due];
        const before = await everything(first);
        const other = await connect(url);
        await other.query(
          `update bellhop.shard set node = 'other', epoch = epoch + 1
            where n = (select n from bellhop.shard where n = $1 for update)`,
          [due.shard],
        );
        const settling = owner.settle([due], how);
        await someoneWaits(first);
        await other.query('commit');
        expect(await settling).toEqual([]);
        expect(await everything(first)).toEqual(before);
      });

      test(`a takeover waits for, or skips, a settlement in progress: ${what}`, async () => {
        const { url, first, second } = await twoNodes();
        const owner = await QueueOwner.of(first);
        const midoffice = await first.midoffice(URL, more);
        await first.accept(midoffice, ['a']);
        const [due] = (await owner.begin({ [midoffice.id]: 1 })) as [Due];
        // Someone else holds what the settlement needs, so that it is under way for a while.
        const other = await connect(url);
        await other.query('select 1 from bellhop.pending where seq = $1 for update', [due.seq]);
        const settling = owner.settle([due], how);
        await someoneWaits(first);
        await owner.endLeases();
        const next = new QueueOwner(second);
        const taking = next.take();
        // It is done without that shard, or waits as well.
        await Promise.race([taking, someoneWaits(second, 2).catch(() => {})]);
        expect(next.epochs.has(due.shard)).toBe(false);
        await other.query('commit');
        expect(await settling).toHaveLength(1);
        await taking;
        await next.take();
        expect(next.epochs.has(due.shard)).toBe(true);
        second.clock.advance(2 * RETRY.retryInMs);
        expect(await next.begin({ [midoffice.id]: 1 })).toMatchObject(
          how === RETRY ? [{ attempts_made: 1 }] : [],
        );
      });
    }
  }

  test('a follower stored while the event ahead is settled is not parked behind nothing', async () => {
    const { url, first, second } = await twoNodes();
    const owner = await QueueOwner.of(first);
    const midoffice = await first.midoffice(URL, ORDERED);
    await first.accept(midoffice, ['a']);
    const due = await owner.begin({ [midoffice.id]: 1 });
    // Someone else is about to store the same event, so ours has looked around but waits.
    const other = await connect(url);
    await other.query(`insert into bellhop.delivery (event_id, type, partner_id, partner_order_id,
      accepted_at) values ('raced', 'updated', 'p', 'a', 0)`);
    const accepting = second.accept(midoffice, ['a'], { event_id: 'raced' });
    await someoneWaits(first);
    await owner.settle(due, 'delivered');
    await other.query('rollback');
    await accepting;
    expect(await owner.begin({ [midoffice.id]: 1 })).toHaveLength(1);
  });
});
