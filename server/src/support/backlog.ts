/** What waits to be delivered, read from the indices of pending work alone. */
import { type Kysely, sql } from 'kysely';
import { deliveryId } from '../orders/order-event.ts';
import type { Schema } from '../store/schema.ts';
import { showAttempt } from './attempts.ts';
import { type Desk, isoOrNull } from './desk.ts';

export interface Backlog {
  pending: number;
  oldest_pending_at: string | null;
}

/** Of the whole environment, or of one midoffice. */
export async function readBacklog(db: Kysely<Schema>, midofficeId?: string): Promise<Backlog> {
  let query = db
    .selectFrom('delivery')
    .select([
      (select) => select.fn.countAll<number>().as('pending'),
      (select) => select.fn.min('seq').as('oldest'),
    ])
    .where('state', '=', sql.lit('pending'));
  if (midofficeId !== undefined) query = query.where('midoffice_id', '=', midofficeId);
  const { pending, oldest } = await query.executeTakeFirstOrThrow();
  const row =
    oldest === null
      ? undefined
      : await db
          .selectFrom('delivery')
          .select('accepted_at')
          .where('seq', '=', oldest)
          .executeTakeFirst();
  return { pending: Number(pending), oldest_pending_at: isoOrNull(row?.accepted_at ?? null) };
}

/** The embedded database belongs to this process alone, so its own count is the whole count. */
export async function countInFlight({ store, webhooks, clock }: Desk): Promise<number> {
  if (store.engine === 'sqlite') return webhooks.attemptsInFlight();
  const { count } = await store.db
    .selectFrom('delivery')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('lease', 'is not', null)
    .where('due_at', '>', clock.now())
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many wait for each of these midoffices. */
export async function pendingOf(
  db: Kysely<Schema>,
  midofficeIds: readonly string[],
): Promise<Map<string, number>> {
  if (midofficeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('delivery')
    .select(['midoffice_id', (select) => select.fn.countAll<number>().as('pending')])
    .where('state', '=', sql.lit('pending'))
    .where('midoffice_id', 'in', midofficeIds)
    .groupBy('midoffice_id')
    .execute();
  return new Map(rows.map((row) => [row.midoffice_id as string, Number(row.pending)]));
}

/** The latest attempt for each of these midoffices that has one; behind by a few seconds at most. */
export async function lastAttemptsOf(db: Kysely<Schema>, midofficeIds: readonly string[]) {
  if (midofficeIds.length === 0) return new Map<string, ShownLastAttempt>();
  const rows = await db
    .selectFrom('last_attempt')
    .innerJoin('attempt', (join) =>
      join
        .onRef('attempt.delivery_seq', '=', 'last_attempt.delivery_seq')
        .onRef('attempt.number', '=', 'last_attempt.number'),
    )
    .selectAll('attempt')
    .select('last_attempt.midoffice_id')
    .where('last_attempt.midoffice_id', 'in', midofficeIds)
    .execute();
  return new Map(rows.map((row) => [row.midoffice_id, showLastAttempt(row)]));
}

function showLastAttempt(row: Parameters<typeof showAttempt>[0] & { delivery_seq: number }) {
  return { delivery_id: deliveryId(row.delivery_seq), ...showAttempt(row) };
}

export type ShownLastAttempt = ReturnType<typeof showLastAttempt>;
