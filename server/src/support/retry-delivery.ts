import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';
import type { Desk } from './desk.ts';
import { findMidoffice } from './midoffices.ts';

/**
 * An attempt now. One that waits goes on with its schedule after it; one that is settled, however it
 * ended, is delivered once more with a whole schedule before it. One that is being attempted right
 * now is left to it, but no longer cancelled.
 */
export async function retryDelivery(desk: Desk, actor: string, id: string): Promise<ShownDelivery> {
  return desk.store.change(actor, async ({ db, now, audit, workFor }) => {
    const before = await findDelivery(db, id);
    const { delivery_order } = await findMidoffice(db, before.midoffice_id as string);
    const revived = { state: 'pending', settled_at: null };
    await db
      .updateTable('delivery')
      .set({
        ...revived,
        due_at: now,
        retries_used: before.state === 'pending' ? before.retries_used : 0,
        last_key: before.state === 'pending' ? before.last_key : null,
        ordered: delivery_order === 'per_order' ? 1 : 0,
      })
      .where('seq', '=', before.seq)
      .where('state', '=', before.state)
      .where('lease', 'is', null)
      .execute();
    await db
      .updateTable('delivery')
      .set(revived)
      .where('seq', '=', before.seq)
      .where('state', '=', 'cancelled')
      .where('lease', 'is not', null)
      .execute();
    const after = await findDelivery(db, id);
    await workFor([before.midoffice_id as string]);
    await audit('delivery.retry', id, { state: before.state }, { state: after.state });
    return showDelivery(after);
  });
}
