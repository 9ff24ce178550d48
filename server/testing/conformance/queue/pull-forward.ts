import { expect, test } from 'vitest';
import { shardOf } from '../../../src/delivery/queue.ts';
import type { NewDatabase, Rig } from '../../delivery-rig.ts';
import { pendingRow, RETRY, seqOf, shareQueue } from './setup.ts';

const HOUR = 3_600_000;
const SCHEDULE = [30_000, 12 * HOUR, 60_000];

export function pullForwardConformance(newDatabase: NewDatabase): void {
  const open = shareQueue(newDatabase);

  async function pull(rig: Rig, shard: number): Promise<string[][]> {
    const pages: string[][] = [];
    for await (const page of rig.store.queue.pullForward(shard, SCHEDULE, rig.clock.now())) {
      pages.push([...page]);
    }
    return pages;
  }

  test.each([
    ['before its first attempt', 0, 0],
    ['before its first retry', 1, 30_000],
    ['before its second', 2, 12 * HOUR],
    ['with more retries than the schedule has now', 9, 12 * HOUR],
  ])('a delivery %s', async (_name, retries_used, stepMs) => {
    const { rig, midoffice } = await open();
    const ids = (await rig.accept(midoffice, ['late', 'asked', 'soon'])) as [
      string,
      string,
      string,
    ];
    const nowMs = rig.clock.now();
    const latestMs = nowMs + stepMs;
    const times = [
      { due_at: nowMs + 24 * HOUR, scheduled_at: null },
      { due_at: nowMs + HOUR, scheduled_at: nowMs + 24 * HOUR },
      { due_at: nowMs, scheduled_at: null },
    ];
    for (const [n, id] of ids.entries()) {
      await rig.store.db
        .updateTable('pending')
        .set({ ...times[n], retries_used })
        .where('seq', '=', seqOf(id))
        .execute();
    }
    expect((await pull(rig, shardOf(midoffice.id))).flat()).toContain(midoffice.id);
    expect(await pendingRow(rig, ids[0])).toMatchObject({ due_at: latestMs, scheduled_at: null });
    expect(await pendingRow(rig, ids[1])).toMatchObject({ due_at: nowMs, scheduled_at: latestMs });
    expect(await pendingRow(rig, ids[2])).toMatchObject(times[2] as object);
    expect((await pull(rig, shardOf(midoffice.id))).flat()).toEqual([]);
  });

  test('a backlog follows in several pages, and what waits for its own step stays', async () => {
    const { rig, owner, midoffice } = await open();
    const orders = Array.from({ length: 300 }, (_, n) => `order ${n}`);
    for (let n = 0; n < 4; n++) await rig.accept(midoffice, orders);
    const due = await owner.begin({ [midoffice.id]: 1_200 });
    await owner.settle(due.slice(0, 1_100), { retryInMs: HOUR });
    await owner.settle(due.slice(1_100), { retryInMs: 30_000 });
    const nowMs = rig.clock.now();
    const pages = await pull(rig, shardOf(midoffice.id));
    expect(pages.length).toBeGreaterThan(2);
    expect(new Set(pages.flat())).toEqual(new Set([midoffice.id]));
    const { db } = rig.store;
    const rows = await db
      .selectFrom('pending')
      .select('due_at')
      .where('midoffice_id', '=', midoffice.id)
      .execute();
    expect(rows).toHaveLength(1_200);
    expect(new Set(rows.map((row) => row.due_at))).toEqual(new Set([nowMs + 30_000]));
  });

  test('what is parked stays parked', async () => {
    const { rig, owner, midoffice } = await open({ delivery_order: 'per_order' });
    const ids = (await rig.accept(midoffice, ['a', 'a'])) as [string, string];
    await owner.settle(await owner.begin({ [midoffice.id]: 2 }), RETRY);
    const { due_at } = (await pendingRow(rig, ids[1])) as { due_at: number | null };
    expect(due_at).toBeNull();
    await pull(rig, shardOf(midoffice.id));
    expect(await pendingRow(rig, ids[0])).toMatchObject({ due_at: rig.clock.now() + 30_000 });
    expect(await pendingRow(rig, ids[1])).toMatchObject({ due_at: null });
  });
}
