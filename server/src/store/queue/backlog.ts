/** Counts pending deliveries. It reads only the queue, not the deliveries. */
import type { Kysely } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import type { Schema } from '../schema.ts';
import { isUnrouted } from './conditions.ts';

export interface Backlog {
  pending: number;
  /** When the oldest pending delivery was accepted. */
  oldestAtMs: number | null;
}

/** For the whole environment, or for one midoffice. */
export async function readBacklog(db: Kysely<Schema>, midofficeId?: string): Promise<Backlog> {
  let query = db
    .selectFrom('pending')
    .select([
      (select) => select.fn.countAll<number>().as('pending'),
      (select) => select.fn.min('seq').as('oldest'),
    ]);
  if (midofficeId !== undefined) {
    query = query.where('shard', '=', shardOf(midofficeId)).where('midoffice_id', '=', midofficeId);
  }
  const { pending, oldest } = await query.executeTakeFirstOrThrow();
  if (oldest === null) return { pending: 0, oldestAtMs: null };
  const row = await db
    .selectFrom('delivery')
    .select('accepted_at')
    .where('seq', '=', oldest)
    .executeTakeFirst();
  return { pending: Number(pending), oldestAtMs: row?.accepted_at ?? null };
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
