/** The deliveries that wait for their next attempt at a midoffice: neither due, nor in flight, nor parked. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import type { Schema } from '../schema.ts';

const READ_AT_ONCE = 10_000;

/** In the order of acceptance. Read in pages, so that nothing else has to wait for it. */
export async function findWaiting(
  db: Kysely<Schema>,
  { midofficeId, partnerId }: { midofficeId: string; partnerId?: string | undefined },
  nowMs: number,
): Promise<number[]> {
  // Where several partners share the midoffice, only the orders of one.
  const isWanted =
    partnerId === undefined
      ? sql<boolean>`1 = 1`
      : sql<boolean>`exists (select 1 from delivery
           where delivery.seq = pending.seq and delivery.partner_id = ${partnerId})`;
  // One that fails meanwhile is found again at its new time.
  const seqs = new Set<number>();
  let after: [dueAtMs: number, seq: number] = [nowMs, Number.MAX_SAFE_INTEGER];
  for (;;) {
    const rows = await db
      .selectFrom('pending')
      .select(['due_at', 'seq'])
      .where('shard', '=', shardOf(midofficeId))
      .where('midoffice_id', '=', midofficeId)
      .where(sql<boolean>`(due_at, seq) > (${after[0]}, ${after[1]})`)
      .where(isWanted)
      .orderBy('due_at')
      .orderBy('seq')
      .limit(READ_AT_ONCE)
      .$narrowType<{ due_at: number }>()
      .execute();
    for (const { seq } of rows) seqs.add(seq);
    const last = rows.at(-1);
    if (!last || rows.length < READ_AT_ONCE) return [...seqs].sort((a, b) => a - b);
    after = [last.due_at, last.seq];
    await nextTurn();
  }
}

export async function countWaiting(
  db: Kysely<Schema>,
  midofficeId: string,
  nowMs: number,
): Promise<number> {
  const { waiting } = await db
    .selectFrom('pending')
    .select((select) => select.fn.countAll<number>().as('waiting'))
    .where('shard', '=', shardOf(midofficeId))
    .where('midoffice_id', '=', midofficeId)
    .where('due_at', '>', nowMs)
    .executeTakeFirstOrThrow();
  return Number(waiting);
}
