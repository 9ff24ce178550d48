/**
 * Brings the pending rows of a midoffice in line with its `delivery_order`: with an order key, or without
 * one and not parked. Rows that are already right stay as they are.
 */
import { type Kysely, sql } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import { isPostgres } from '../engine.ts';
import type { Schema } from '../schema.ts';

/** Rows in one statement. A backlog of hundreds of thousands would take longer than a statement may. */
const AT_ONCE = 1_000;

/** Returns how many were changed. */
export async function restateOrder(
  db: Kysely<Schema>,
  { id, ordered }: { id: string; ordered: boolean },
  nowMs: number,
): Promise<number> {
  // Found once. There is no index in this order, so looking for each batch would sort all that is left:
  // with 100,000 rows the embedded database was held up for 5 to 7 s, now for half a second.
  const rows = await db
    .selectFrom('pending')
    .select('seq')
    .where('shard', '=', shardOf(id))
    .where('midoffice_id', '=', id)
    .where('order_key', ordered ? 'is' : 'is not', null)
    .orderBy('seq')
    .$if(isPostgres(db), (query) => query.forUpdate())
    .execute();
  const orderKey = sql<string>`(select delivery.partner_id || ' ' || delivery.partner_order_id
                                  from delivery where delivery.seq = pending.seq)`;
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    await db
      .updateTable('pending')
      .set({
        order_key: ordered ? orderKey : null,
        due_at: sql<number>`coalesce(due_at, ${sql.lit(nowMs)})`,
      })
      .where(
        'seq',
        'in',
        rows.slice(i, i + AT_ONCE).map(({ seq }) => seq),
      )
      .execute();
  }
  return rows.length;
}

/** Uses the `delivery_order` that is stored for the midoffice, which does not change meanwhile. */
export function restateAsStored(
  db: Kysely<Schema>,
  midofficeId: string,
  nowMs: number,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('midoffice')
      .select('delivery_order')
      .where('id', '=', midofficeId)
      .$if(isPostgres(db), (query) => query.forShare())
      .executeTakeFirst();
    if (!row) return;
    const midoffice = { id: midofficeId, ordered: row.delivery_order === 'per_order' };
    await restateOrder(transaction, midoffice, nowMs);
  });
}
