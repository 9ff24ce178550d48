/** Deletes deliveries that have been settled for longer than the retention, with their attempts. */
import { type Kysely, sql } from 'kysely';
import type { RetentionCursor } from '../../delivery/housekeeping.ts';
import type { Schema } from '../schema.ts';
import { isPostgres } from './engine.ts';

/** Looked at in one statement and deleted in one transaction; small, so that neither flow waits for it. */
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
  if (seqs.length > 0) await deleteThose(db, cutoffMs, seqs);
  const last = batch[batch.length - 1];
  if (last === undefined || batch.length < DELETED_AT_ONCE) return undefined;
  return { acceptedAtMs: last.accepted_at, seq: last.seq };
}

async function deleteThose(db: Kysely<Schema>, cutoffMs: number, seqs: number[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (isPostgres(transaction)) {
      // As support does before it queues one again: then whoever comes second sees what was done.
      await transaction
        .selectFrom('delivery')
        .select('seq')
        .where('seq', 'in', seqs)
        .orderBy('seq')
        .forUpdate()
        .execute();
    }
    const gone = await settledBefore(transaction, cutoffMs, seqs);
    if (gone.length === 0) return;
    await transaction.deleteFrom('delivery').where('seq', 'in', gone).execute();
    await transaction.deleteFrom('given_up').where('seq', 'in', gone).execute();
    await transaction.deleteFrom('attempt').where('delivery_seq', 'in', gone).execute();
  });
}

/** Which of these are not pending, were not given up since, and had no attempt since. */
async function settledBefore(
  db: Kysely<Schema>,
  cutoffMs: number,
  seqs: readonly number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('delivery')
    .select('delivery.seq')
    .where('delivery.seq', 'in', seqs)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('pending').select('pending.seq').whereRef('pending.seq', '=', 'delivery.seq'),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('given_up')
            .select('given_up.seq')
            .whereRef('given_up.seq', '=', 'delivery.seq')
            .where('given_up.at', '>=', cutoffMs),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('attempt')
            .select('attempt.number')
            .whereRef('attempt.delivery_seq', '=', 'delivery.seq')
            .where('attempt.started_at', '>=', cutoffMs),
        ),
      ),
    )
    .execute();
  return rows.map(({ seq }) => seq);
}
