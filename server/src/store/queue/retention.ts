/** Deletes deliveries, with their attempts and notes, that have been settled for longer than the retention. */
import { type Kysely, sql } from 'kysely';
import type { RetentionCursor } from '../../delivery/housekeeping.ts';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import type { Schema } from '../schema.ts';
import { lockRows } from './change-pending.ts';
import { isNotIn, isUntouchedSince } from './conditions.ts';

/** Rows read in one statement and deleted in one transaction. Few, so that neither flow has to wait. */
export const DELETED_AT_ONCE = 500;

/** The next batch after `cursor`; returns where to go on, or undefined at the end. */
export async function deleteSettledBefore(
  db: Kysely<Schema>,
  cutoffMs: number,
  cursor: RetentionCursor = { acceptedAtMs: 0, seq: 0 },
): Promise<RetentionCursor | undefined> {
  const batch = await db
    .selectFrom('delivery')
    .select(['accepted_at', 'seq'])
    .where('accepted_at', '<', cutoffMs)
    .where(sql<boolean>`(accepted_at, seq) > (${cursor.acceptedAtMs}, ${cursor.seq})`)
    .orderBy('accepted_at')
    .orderBy('seq')
    .limit(DELETED_AT_ONCE)
    .execute();
  if (batch.length === 0) return undefined;
  const seqs = await settledBefore(
    db,
    cutoffMs,
    batch.map(({ seq }) => seq),
  );
  if (seqs.length > 0) await deleteSettled(db, cutoffMs, seqs);
  const last = batch[batch.length - 1];
  if (last === undefined || batch.length < DELETED_AT_ONCE) return undefined;
  return { acceptedAtMs: last.accepted_at, seq: last.seq };
}

async function deleteSettled(db: Kysely<Schema>, cutoffMs: number, seqs: number[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Support takes the same lock before it queues a delivery again, so the second of the two sees
    // what the first has done.
    await lockRows(transaction, 'delivery', seqs);
    const gone = await settledBefore(transaction, cutoffMs, seqs);
    if (gone.length === 0) return;
    await transaction.deleteFrom('delivery').where('seq', 'in', gone).execute();
    await transaction.deleteFrom('given_up').where('seq', 'in', gone).execute();
    await transaction.deleteFrom('attempt').where('delivery_seq', 'in', gone).execute();
    await transaction.deleteFrom('note').where('subject', 'in', gone.map(deliveryId)).execute();
  });
}

/** Which of these are settled, and were settled before the cut-off. */
async function settledBefore(
  db: Kysely<Schema>,
  cutoffMs: number,
  seqs: readonly number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('delivery')
    .select('delivery.seq')
    .where('delivery.seq', 'in', seqs)
    .where(isNotIn('pending'))
    .where(isUntouchedSince(cutoffMs))
    .execute();
  return rows.map(({ seq }) => seq);
}
