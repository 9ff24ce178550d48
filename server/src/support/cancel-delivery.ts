import { type Kysely, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';
import { findDelivery, type Row, type ShownDelivery, showDelivery } from './deliveries.ts';
import type { Desk } from './desk.ts';
import { Problem } from './problem.ts';

/** No further attempts. One under way is not called back; it is recorded, and changes nothing. */
export async function cancelDelivery(
  desk: Desk,
  actor: string,
  id: string,
): Promise<ShownDelivery> {
  const found = await findDelivery(desk.store.db, id);
  if (found.state === 'cancelled') return showDelivery(found);
  return desk.store.change(actor, async ({ db, now, audit, workFor }) => {
    const before = await findDelivery(db, id);
    const set = { state: 'cancelled', due_at: null, settled_at: now };
    const { numUpdatedRows } = await db
      .updateTable('delivery')
      // An attempt under way keeps its slot until its lease ends.
      .set({ ...set, due_at: sql`case when lease is not null then due_at end` })
      .where('seq', '=', before.seq)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) {
      throw new Problem(
        'delivery_settled',
        `The delivery is ${before.state}; there is nothing to cancel.`,
      );
    }
    if (before.ordered === 1) {
      await freeFollowers(db, before, now);
      await workFor([before.midoffice_id as string]);
    }
    await audit('delivery.cancel', id, { state: before.state }, { state: 'cancelled' });
    return showDelivery({ ...before, ...set });
  });
}

/** Those behind it in its order may go on, unless another is still before them all. */
async function freeFollowers(db: Kysely<Schema>, cancelled: Row, now: number): Promise<void> {
  const { midoffice_id, partner_id, partner_order_id, seq } = cancelled;
  const before = await db
    .selectFrom('delivery')
    .select('seq')
    .where('midoffice_id', '=', midoffice_id)
    .where('partner_order_id', '=', partner_order_id)
    .where('partner_id', '=', partner_id)
    .where('state', '=', sql.lit('pending'))
    .where('ordered', '=', sql.lit(1))
    .where('seq', '<', seq)
    .limit(1)
    .executeTakeFirst();
  if (before) return;
  await db
    .updateTable('delivery')
    .set({ due_at: now })
    .where('midoffice_id', '=', midoffice_id)
    .where('partner_order_id', '=', partner_order_id)
    .where('partner_id', '=', partner_id)
    .where('state', '=', sql.lit('pending'))
    .where('ordered', '=', sql.lit(1))
    .where('lease', 'is', null)
    .where('seq', '>', seq)
    .execute();
}
