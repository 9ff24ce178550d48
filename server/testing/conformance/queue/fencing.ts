/** An owner that has lost a shard writes nothing more about its deliveries. */
import { expect, test } from 'vitest';
import { SHARDS, shardOf } from '../../../src/delivery/queue.ts';
import type { Due } from '../../../src/delivery/stages.ts';
import { type NewDatabase, Rig } from '../../delivery-rig.ts';
import { outcomeOf, QueueOwner } from '../../queue-owner.ts';
import { attemptsOf, everything, indexesIn, ORDERED, RETRY, URL } from './setup.ts';

export function fencingConformance(newDatabase: NewDatabase): void {
  async function open() {
    const rig = await Rig.open(await newDatabase());
    return { rig, owner: await QueueOwner.of(rig) };
  }

  test.each(['delivered', 'exhausted', RETRY] as const)(
    'an outcome that arrives after the takeover leaves no trace: %j',
    async (how) => {
      const { rig, owner } = await open();
      const midoffice = await rig.midoffice(URL, ORDERED);
      const ids = await rig.accept(midoffice, ['a', 'a', 'b']);
      const late = await owner.begin({ [midoffice.id]: 10 });
      const next = await QueueOwner.after(owner);
      const before = await everything(rig);
      rig.clock.advance(5);
      expect(await owner.settle(late, how)).toEqual([]);
      expect(await everything(rig)).toEqual(before);

      // The new owner starts from the same state as the old one.
      const due = await next.begin({ [midoffice.id]: 10 });
      expect(indexesIn(ids, due)).toEqual([0, 2]);
      expect(due).toMatchObject([{ attempts_made: 0 }, { attempts_made: 0 }]);
      expect(await next.settle(due, 'exhausted')).toHaveLength(2);
      const after = await everything(rig);
      expect(await owner.settle(late, how)).toEqual([]);
      expect(await everything(rig)).toEqual(after);
    },
  );

  test('a late outcome also leaves no trace with delivery_order any', async () => {
    const { rig, owner } = await open();
    const midoffice = await rig.midoffice(URL);
    await rig.accept(midoffice, ['a', 'b']);
    const late = await owner.begin({ [midoffice.id]: 10 });
    await QueueOwner.after(owner);
    const before = await everything(rig);
    expect(await owner.settle(late, 'delivered')).toEqual([]);
    expect(await everything(rig)).toEqual(before);
  });

  test('the next owner sees an outcome that was recorded before the takeover', async () => {
    const { rig, owner } = await open();
    const midoffice = await rig.midoffice(URL);
    const ids = await rig.accept(midoffice, ['a', 'b']);
    const [first] = (await owner.begin({ [midoffice.id]: 1 })) as [Due];
    await owner.settle([first], { retryInMs: 1 });
    const next = await QueueOwner.after(owner);
    rig.clock.advance(1);
    const due = await next.begin({ [midoffice.id]: 10 });
    expect(indexesIn(ids, due)).toEqual([0, 1]);
    expect(due.find(({ seq }) => seq === first.seq)).toMatchObject({
      attempts_made: 1,
      retries_used: 1,
    });
  });

  test('a lost shard does not prevent settling the rest of the batch', async () => {
    const { rig, owner } = await open();
    const midoffices = [await rig.midoffice(URL)];
    while (midoffices.length < 3) {
      const another = await rig.midoffice(URL);
      const shards = midoffices.map(({ id }) => shardOf(id));
      if (!shards.includes(shardOf(another.id))) midoffices.push(another);
    }
    const ids: string[] = [];
    for (const midoffice of midoffices) ids.push(...(await rig.accept(midoffice, ['a', 'b'])));
    const due = await owner.begin(Object.fromEntries(midoffices.map(({ id }) => [id, 2])));
    const lost = shardOf((midoffices[1] as { id: string }).id);
    await rig.store.db
      .updateTable('shard')
      .set((row) => ({ epoch: row('epoch', '+', 1), node: 'another' }))
      .where('n', '=', lost)
      .execute();
    const settlements = due.map((one, n) =>
      outcomeOf(one, rig.clock.now(), n % 2 ? 'exhausted' : 'delivered'),
    );
    const settled = await owner.settleEach(settlements);
    expect(new Set(settled.map(({ settlement }) => settlement))).toEqual(
      new Set(settlements.filter((one) => one.due.shard !== lost)),
    );
    const states = await rig.states(ids);
    expect(states.slice(2, 4)).toEqual(['pending', 'pending']);
    expect([...states.slice(0, 2), ...states.slice(4)]).not.toContain('pending');
    for (const id of ids.slice(2, 4)) expect(await attemptsOf(rig, id)).toEqual([]);
  });

  test('a late outcome and one in time may be in the same batch', async () => {
    const { rig, owner } = await open();
    const midoffice = await rig.midoffice(URL);
    const [id] = (await rig.accept(midoffice, ['order'])) as [string];
    const [first] = (await owner.begin({ [midoffice.id]: 1 })) as [Due];
    const next = await QueueOwner.after(owner);
    const [second] = (await next.begin({ [midoffice.id]: 1 })) as [Due];
    const late = outcomeOf(first, rig.clock.now(), 'exhausted');
    const inTime = outcomeOf(second, rig.clock.now(), 'delivered');
    const settled = await next.settleEach([late, inTime]);
    expect(settled.map(({ settlement }) => settlement)).toEqual([inTime]);
    expect(await rig.show(id)).toMatchObject({ state: 'delivered', attempts_made: 1 });
    expect(await attemptsOf(rig, id)).toMatchObject([{ outcome: 'delivered' }]);
  });

  test('a node that lost a shard and got it back counts as another owner', async () => {
    const { rig, owner } = await open();
    const midoffice = await rig.midoffice(URL);
    await rig.accept(midoffice, ['order']);
    const late = await owner.begin({ [midoffice.id]: 1 });
    await rig.store.shards.leave(owner.node);
    expect(await owner.take()).toHaveLength(SHARDS);
    expect(await owner.settle(late, 'delivered')).toEqual([]);
    expect(await owner.settle(await owner.begin({ [midoffice.id]: 1 }), 'delivered')).toHaveLength(
      1,
    );
  });
}
