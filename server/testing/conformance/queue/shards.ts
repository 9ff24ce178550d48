/** Which node owns which shard. */
import { expect, test } from 'vitest';
import { SHARDS, shardOf } from '../../../src/delivery/queue.ts';
import { type NewDatabase, Rig } from '../../delivery-rig.ts';
import { outcomeOf, QueueOwner } from '../../queue-owner.ts';
import { URL } from './setup.ts';

const IDLE = { inFlight: new Map<number, number>(), isRetiring: false };
const ALL = Array.from({ length: SHARDS }, (_, n) => n);

export function shardsConformance(newDatabase: NewDatabase): void {
  test('a single node gets every shard once', async () => {
    const rig = await Rig.open(await newDatabase());
    const owner = new QueueOwner(rig);
    const taken = await owner.take();
    expect(taken.map(({ shard }) => shard).sort(byNumber)).toEqual(ALL);
    const { held, nodes, free } = await rig.store.shards.renew(owner.node, IDLE);
    expect(new Set(held)).toEqual(new Set(taken));
    expect([held.length, nodes, free]).toEqual([SHARDS, 1, 0]);
  });

  test('renewing raises no epoch, whatever the clock of the node says', async () => {
    const rig = await Rig.open(await newDatabase());
    const owner = await QueueOwner.of(rig);
    const first = await rig.store.shards.renew(owner.node, IDLE);
    rig.clock.advance(86_400_000);
    const second = await rig.store.shards.renew(owner.node, IDLE);
    expect(new Set(second.held)).toEqual(new Set(first.held));
    expect(new Map(second.held.map(({ shard, epoch }) => [shard, epoch]))).toEqual(owner.epochs);
  });

  test('a new owner has a higher epoch than all earlier ones', async () => {
    const rig = await Rig.open(await newDatabase());
    const seen = new Map<number, number>();
    let owner = await QueueOwner.of(rig);
    for (let round = 0; round < 3; round++) {
      for (const [shard, epoch] of owner.epochs) {
        expect(epoch).toBeGreaterThan(seen.get(shard) ?? -1);
        seen.set(shard, epoch);
      }
      if (round === 1) {
        await rig.store.shards.leave(owner.node);
        owner = await QueueOwner.of(rig);
      } else {
        owner = await QueueOwner.after(owner);
      }
      expect(owner.epochs.size).toBe(SHARDS);
    }
  });

  test('a node that lost its shards does not get them back by renewing', async () => {
    const rig = await Rig.open(await newDatabase());
    const owner = await QueueOwner.of(rig);
    const next = await QueueOwner.after(owner);
    expect((await rig.store.shards.renew(owner.node, IDLE)).held).toEqual([]);
    expect((await rig.store.shards.renew(next.node, IDLE)).held).toHaveLength(SHARDS);
  });

  test('epochs survive a restart', async () => {
    const database = await newDatabase();
    const first = await Rig.open(database);
    const before = await QueueOwner.of(first);
    await first.close();
    const second = await Rig.open(database);
    const after = await QueueOwner.after(new QueueOwnerOf(before, second));
    for (const [shard, epoch] of after.epochs) {
      expect(epoch).toBeGreaterThan(before.epochs.get(shard) as number);
    }
    expect(after.epochs.size).toBe(SHARDS);
  });

  test('a start creates rows that were deleted, and attempts from before stay fenced', async () => {
    const database = await newDatabase();
    const first = await Rig.open(database);
    const before = await QueueOwner.of(first);
    const midoffice = await first.midoffice(URL);
    await first.accept(midoffice, ['a']);
    const begun = await before.begin({ [midoffice.id]: 1 });
    await first.store.db
      .deleteFrom('shard')
      .where('n', 'in', [3, shardOf(midoffice.id)])
      .execute();
    await first.close();
    const second = await Rig.open(database);
    const after = new QueueOwner(second);
    while (after.epochs.size < SHARDS) await after.takeOver(new QueueOwnerOf(before, second));
    expect([...after.epochs.keys()].sort(byNumber)).toEqual(ALL);
    for (const [shard, epoch] of after.epochs) {
      expect(epoch).toBeGreaterThan(before.epochs.get(shard) as number);
    }
    expect(
      await second.store.queue.settle(
        begun.map((due) => outcomeOf(due, second.clock.now(), 'delivered')),
        second.clock.now(),
      ),
    ).toEqual([]);
    expect(await after.begin({ [midoffice.id]: 1 })).toHaveLength(1);
  });

  test('a midoffice is always in the same shard, and every shard has midoffices', () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `mid_${n.toString(36).padStart(26, '0')}`);
    const shards = ids.map(shardOf);
    expect(ids.map(shardOf)).toEqual(shards);
    expect([...new Set(shards)].sort(byNumber)).toEqual(ALL);
    // Written to the database: another function would need a migration.
    expect(['mid_1', 'mid_2', ''].map(shardOf)).toEqual([45, 52, 5]);
  });
}

/** An owner from before a restart, on the database as it is now. */
class QueueOwnerOf extends QueueOwner {
  constructor(before: QueueOwner, side: Rig) {
    super(side);
    this.node.id = before.node.id;
  }
}

function byNumber(a: number, b: number): number {
  return a - b;
}
