/** The deliveries that wait for their next attempt at a midoffice: neither due, nor in flight, nor parked. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import type { Schema } from '../schema.ts';

/** Read in one turn of the thread: some milliseconds on an embedded database. */
const READ_AT_ONCE = 4_000;
/** Of each of two lists, in one turn. */
const MERGED_AT_ONCE = 20_000;

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
  const pages: number[][] = [];
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
    pages.push(rows.map(({ seq }) => seq).sort((a, b) => a - b));
    const last = rows.at(-1);
    if (!last || rows.length < READ_AT_ONCE) return mergeAll(pages);
    after = [last.due_at, last.seq];
    await nextTurn();
  }
}

/** All sorted lists as one, in turns: to sort a million numbers at once takes half a second. */
async function mergeAll(sorted: readonly number[][]): Promise<number[]> {
  let lists = [...sorted];
  while (lists.length > 1) {
    const longer: number[][] = [];
    for (let i = 0; i < lists.length; i += 2) {
      longer.push(await merge(lists[i] ?? [], lists[i + 1] ?? []));
    }
    lists = longer;
  }
  return lists[0] ?? [];
}

/** What is in both is in the result once: one that fails meanwhile is found again at its new time. */
async function merge(one: readonly number[], other: readonly number[]): Promise<number[]> {
  const all: number[] = [];
  let next = 0;
  for (const [at, seq] of one.entries()) {
    if (at % MERGED_AT_ONCE === 0) await nextTurn();
    for (; next < other.length && (other[next] as number) <= seq; next++) {
      if (other[next] !== seq) all.push(other[next] as number);
    }
    all.push(seq);
  }
  return all.concat(other.slice(next));
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
