/** Counts what is pending, and what was given up and nobody has looked after. It reads only the queue, not the deliveries. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import type { Schema } from '../schema.ts';
import { isUnacknowledged, isUnrouted } from './conditions.ts';

export interface Backlog {
  pending: number;
  /** When the oldest pending delivery was accepted. */
  oldestAtMs: number | null;
}

/** Rows that are counted in one turn: a millisecond or two of the thread on an embedded database. */
export const COUNTED_AT_ONCE = 5_000;

/** For the whole environment, in turns, because everything else waits for one that counts a million. */
export async function readBacklog(db: Kysely<Schema>, atOnce = COUNTED_AT_ONCE): Promise<Backlog> {
  let pending = 0;
  let oldest: number | null = null;
  for (let after = 0; ; ) {
    const page = db
      .selectFrom('pending')
      .select('seq')
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(atOnce);
    const { rows, first, last } = await db
      .selectFrom(page.as('page'))
      .select((select) => [
        select.fn.countAll<number>().as('rows'),
        select.fn.min<number | null>('page.seq').as('first'),
        select.fn.max<number | null>('page.seq').as('last'),
      ])
      .executeTakeFirstOrThrow();
    pending += Number(rows);
    oldest ??= first;
    if (last === null || Number(rows) < atOnce) break;
    after = last;
    await nextTurn();
  }
  return { pending, oldestAtMs: await acceptedAt(db, oldest) };
}

export async function readBacklogOf(db: Kysely<Schema>, midofficeId: string): Promise<Backlog> {
  const { pending, oldest } = await db
    .selectFrom('pending')
    .select((select) => [
      select.fn.countAll<number>().as('pending'),
      select.fn.min<number | null>('seq').as('oldest'),
    ])
    .where('shard', '=', shardOf(midofficeId))
    .where('midoffice_id', '=', midofficeId)
    .executeTakeFirstOrThrow();
  return { pending: Number(pending), oldestAtMs: await acceptedAt(db, oldest) };
}

/** Events that wait for a midoffice, counted up to `most`. */
export async function countUnrouted(db: Kysely<Schema>, most: number): Promise<number> {
  const { unrouted } = await db
    .selectFrom((from) =>
      from
        .selectFrom('delivery')
        .select('delivery.seq')
        .where(isUnrouted())
        .limit(most)
        .as('found'),
    )
    .select((select) => select.fn.countAll<number>().as('unrouted'))
    .executeTakeFirstOrThrow();
  return Number(unrouted);
}

/** Exhausted deliveries that nobody has recovered or acknowledged. */
export interface Exhausted {
  exhausted: number;
  /** When the oldest of them was accepted. */
  oldestAtMs: number | null;
}

/** For the whole environment, or for one midoffice; counted up to `most`. */
export async function readExhausted(
  db: Kysely<Schema>,
  most: number,
  midofficeId?: string,
): Promise<Exhausted> {
  let open = db
    .selectFrom('given_up')
    .select('given_up.seq')
    .where(isUnacknowledged())
    .orderBy('given_up.seq')
    .limit(most);
  if (midofficeId !== undefined) open = open.where('given_up.midoffice_id', '=', midofficeId);
  const { count, oldest } = await db
    .selectFrom(open.as('open'))
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.min('open.seq').as('oldest')])
    .executeTakeFirstOrThrow();
  return { exhausted: Number(count), oldestAtMs: await acceptedAt(db, oldest) };
}

async function acceptedAt(db: Kysely<Schema>, seq: number | null): Promise<number | null> {
  if (seq === null) return null;
  const row = await db
    .selectFrom('delivery')
    .select('accepted_at')
    .where('seq', '=', seq)
    .executeTakeFirst();
  return row?.accepted_at ?? null;
}

/** The same of each of these midoffices, counted up to `most`. Midoffices without any are left out. */
export async function exhaustedOf(
  db: Kysely<Schema>,
  midofficeIds: readonly string[],
  most: number,
): Promise<Map<string, number>> {
  if (midofficeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('midoffice')
    .select('midoffice.id')
    .select(
      // Ends at `most`, so that one midoffice with a million costs no more than others.
      sql<number>`(select count(*) from (select 1 from given_up
         where given_up.midoffice_id = midoffice.id and ${isUnacknowledged()} limit ${sql.lit(most)}) open)`.as(
        'count',
      ),
    )
    .where('midoffice.id', 'in', midofficeIds)
    .execute();
  return new Map(rows.flatMap(({ id, count }) => (Number(count) > 0 ? [[id, Number(count)]] : [])));
}

/** Ids of midoffices that have some, in their order: steps through the index from one midoffice to the next. */
export async function midofficesWithExhausted(
  db: Kysely<Schema>,
  {
    limit,
    after,
    ascending = true,
  }: { limit: number; after?: string | undefined; ascending?: boolean | undefined },
): Promise<string[]> {
  const end = sql.raw(ascending ? 'min' : 'max');
  const follows = sql.raw(ascending ? '>' : '<');
  const open = sql`select ${end}(given_up.midoffice_id) as id from given_up where ${isUnacknowledged()}`;
  const first =
    after === undefined ? open : sql`${open} and given_up.midoffice_id ${follows} ${after}`;
  const next = sql`${open} and given_up.midoffice_id ${follows} found.id`;
  const { rows } = await sql<{ id: string }>`
    with recursive found(id) as (
      ${first}
      union all
      select (${next}) from found where found.id is not null)
    select found.id from found where found.id is not null limit ${sql.lit(limit)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Pending deliveries of each of these midoffices. Midoffices without any are left out. */
export async function pendingOf(
  db: Kysely<Schema>,
  midofficeIds: readonly string[],
): Promise<Map<string, number>> {
  if (midofficeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('pending')
    .select(['midoffice_id', (select) => select.fn.countAll<number>().as('pending')])
    .where('shard', 'in', [...new Set(midofficeIds.map(shardOf))])
    .where('midoffice_id', 'in', midofficeIds)
    .groupBy('midoffice_id')
    .execute();
  return new Map(rows.map((row) => [row.midoffice_id, Number(row.pending)]));
}

/** The same, counted up to `most`, so that a list costs no more where one midoffice has a million. */
export async function countPendingOf(
  db: Kysely<Schema>,
  midofficeIds: readonly string[],
  most: number,
): Promise<Map<string, number>> {
  if (midofficeIds.length === 0) return new Map();
  const wanted = midofficeIds.map((id) => sql`(cast(${id} as text), ${sql.lit(shardOf(id))})`);
  const { rows } = await sql<{ id: string; count: number }>`
    with wanted (id, shard) as (values ${sql.join(wanted)})
    select wanted.id,
           (select count(*) from (select 1 from pending
             where pending.shard = wanted.shard and pending.midoffice_id = wanted.id
             limit ${sql.lit(most)}) found) as count
      from wanted`.execute(db);
  return new Map(rows.flatMap(({ id, count }) => (Number(count) > 0 ? [[id, Number(count)]] : [])));
}
