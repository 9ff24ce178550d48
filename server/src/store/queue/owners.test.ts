import { expect, test } from 'vitest';
import { describeOnEachDatabase, MIDOFFICE, NOW } from '../../../testing/queue-database.ts';
import { SHARDS, shardOf } from '../../delivery/queue.ts';
import { countInFlight, ownerOf, readOwners } from './owners.ts';

describeOnEachDatabase('the list of owners', (fresh) => {
  test('counts only leases that have not ended', async () => {
    const queue = await fresh();
    const { db } = queue;
    const forEver = Number.MAX_SAFE_INTEGER;
    const own = shardOf(MIDOFFICE.id);
    const other = (own + 1) % SHARDS;
    expect(await readOwners(db, NOW)).toEqual({
      nodes: [],
      unowned: Array.from({ length: SHARDS }, (_, n) => n),
    });
    expect(await ownerOf(db, MIDOFFICE.id, NOW)).toBeNull();
    await db
      .insertInto('delivery_node')
      .values([
        { id: 'one', host: 'alpha', since: NOW - 2, until: forEver },
        { id: 'two', host: 'beta', since: NOW - 1, until: forEver },
        { id: 'dead', host: 'gamma', since: NOW - 3, until: NOW - 1 },
      ])
      .execute();
    const lease = (n: number, node: string, until: number, in_flight: number) =>
      db.updateTable('shard').set({ node, until, in_flight }).where('n', '=', n).execute();
    await lease(own, 'one', forEver, 3);
    await lease(other, 'one', forEver, 4);
    await lease((own + 2) % SHARDS, 'dead', NOW - 1, 5);
    const { nodes, unowned } = await readOwners(db, NOW);
    expect(nodes).toEqual([
      {
        id: 'one',
        host: 'alpha',
        since: NOW - 2,
        shards: [own, other].sort((a, b) => a - b),
        in_flight: 7,
      },
      { id: 'two', host: 'beta', since: NOW - 1, shards: [], in_flight: 0 },
    ]);
    expect(unowned).toHaveLength(SHARDS - 2);
    expect(unowned).not.toContain(own);
    expect(await ownerOf(db, MIDOFFICE.id, NOW)).toBe('one');
    expect(await countInFlight(db, NOW)).toBe(7);
  });
});
