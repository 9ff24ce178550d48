/**
 * Brings the pending rows of a midoffice in line with its `delivery_order`: with an order key, or without
 * one and not parked. Rows that are already right stay as they are.
 */
import { type Kysely, sql } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import type { Schema } from '../schema.ts';
import { isPostgres } from './engine.ts';

/** Rows in one statement. A backlog of hundreds of thousands would take longer than a statement may. */
const AT_ONCE = 500;

/** Returns how many were changed. */
export async function restateOrder(
  db: Kysely<Schema>,
  { id, ordered }: { id: string; ordered: boolean },
  nowMs: number,
): Promise<number> {
  for (let changed = 0; ; ) {
    const rows = await db
      .selectFrom('pending')
      .select('seq')
      .where('shard', '=', shardOf(id))
      .where('midoffice_id', '=', id)
      .where('order_key', ordered ? 'is' : 'is not', null)
      .orderBy('seq')
      .limit(AT_ONCE)
      .$if(isPostgres(db), (query) => query.forUpdate())
      .execute();
    if (rows.length > 0) {
      const orderKey = sql<string>`(select delivery.partner_id || ' ' || delivery.partner_order_id
                                      from delivery where delivery.seq = pending.seq)`;
      await db
        .updateTable('pending')
        .set({
          order_key: ordered ? orderKey : null,
          due_at: sql<number>`coalesce(due_at, ${sql.lit(nowMs)})`,
        })
        .where(
          'seq',
          'in',
          rows.map(({ seq }) => seq),
        )
        .execute();
    }
    changed += rows.length;
    if (rows.length < AT_ONCE) return changed;
  }
}

/** Uses the `delivery_order` that is stored for the midoffice. */
export async function restateAsStored(
  db: Kysely<Schema>,
  midofficeId: string,
  nowMs: number,
): Promise<void> {
  const row = await db
    .selectFrom('midoffice')
    .select('delivery_order')
    .where('id', '=', midofficeId)
    .executeTakeFirst();
  if (!row) return;
  await restateOrder(db, { id: midofficeId, ordered: row.delivery_order === 'per_order' }, nowMs);
}
