/**
 * Changes to pending deliveries, one or many at once, for both engines; and to those that cannot be pending yet,
 * because they have no midoffice. Each leaves alone what is no longer as it was found.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from '../engine.ts';
import type { PendingRow, Schema } from '../schema.ts';
import { isUnrouted } from './conditions.ts';
import { freeNext } from './free-next.ts';

export type ChangedRow = Pick<PendingRow, 'seq' | 'midoffice_id'>;

/**
 * Requests an attempt now, which uses no step of the schedule. `onlyWaiting` leaves alone what is due or in
 * flight already, and what is parked.
 */
export async function requestAttempt(
  db: Kysely<Schema>,
  seqs: readonly number[],
  nowMs: number,
  { onlyWaiting = false } = {},
): Promise<ChangedRow[]> {
  if (seqs.length > 1) await lockRows(db, 'pending', seqs);
  const now = sql<number>`cast(${nowMs} as bigint)`;
  return db
    .updateTable('pending')
    .set({
      // Always a new value, even within a millisecond, because workers compare it.
      asked_at: sql`case when asked_at >= ${now} then asked_at + 1 else ${now} end`,
      scheduled_at: sql`case when due_at is null then scheduled_at
                             else coalesce(scheduled_at, due_at) end`,
      // A parked delivery stays parked until the event ahead of it is settled.
      due_at: sql`case when due_at is null then null else ${now} end`,
    })
    .where('seq', 'in', seqs)
    .$if(onlyWaiting, (query) => query.where('due_at', '>', nowMs))
    .returning(['seq', 'midoffice_id'])
    .execute();
}

/** Stops further attempts. */
export async function cancelPending(
  db: Kysely<Schema>,
  seqs: readonly number[],
  nowMs: number,
): Promise<ChangedRow[]> {
  if (seqs.length > 1) await lockRows(db, 'pending', seqs);
  const rows = await db
    .deleteFrom('pending')
    .where('seq', 'in', seqs)
    .returning(['seq', 'midoffice_id', 'order_key', 'asked_at', 'last_result'])
    .execute();
  if (rows.length === 0) return [];
  await db
    .insertInto('given_up')
    .values(
      rows.map(({ seq, midoffice_id, asked_at, last_result }) => ({
        seq,
        midoffice_id,
        partner_id: partnerOf(seq),
        state: 'cancelled' as const,
        // Not earlier than the last request, so that a replay gets a later time than both.
        at: Math.max(nowMs, asked_at ?? 0),
        last_result,
      })),
    )
    .execute();
  await freeNext(db, rows, nowMs);
  return rows;
}

/** Cancels those that wait for a midoffice, and returns which. They must be locked. */
export async function cancelUnrouted(
  db: Kysely<Schema>,
  seqs: readonly number[],
  nowMs: number,
): Promise<number[]> {
  if (seqs.length === 0) return [];
  const cancelled = await db
    .updateTable('delivery')
    .set({ cancelled_unrouted: 1 })
    .where('seq', 'in', seqs)
    .where(isUnrouted())
    .returning('seq')
    .execute();
  if (cancelled.length === 0) return [];
  await db
    .insertInto('given_up')
    .values(
      cancelled.map(({ seq }) => ({
        seq,
        midoffice_id: null,
        partner_id: partnerOf(seq),
        state: 'cancelled' as const,
        at: nowMs,
      })),
    )
    .execute();
  return cancelled.map(({ seq }) => seq);
}

function partnerOf(seq: number): RawBuilder<string> {
  return sql<string>`(select delivery.partner_id from delivery where delivery.seq = ${seq})`;
}

/** In the order of `seq`, as everyone locks, to avoid deadlocks. */
export async function lockRows(
  db: Kysely<Schema>,
  table: 'delivery' | 'pending',
  seqs: readonly number[],
): Promise<void> {
  if (!isPostgres(db)) return;
  await db
    .selectFrom(table)
    .select('seq')
    .where('seq', 'in', seqs)
    .orderBy('seq')
    .forUpdate()
    .execute();
}
