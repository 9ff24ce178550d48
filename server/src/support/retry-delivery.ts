import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';
import type { Desk } from './desk.ts';

/**
 * An attempt now. One that waits goes on with its schedule after it; one that is settled, however it
 * ended, is delivered once more with a whole schedule before it. One that is being attempted right
 * now is left to it.
 */
export async function retryDelivery(desk: Desk, actor: string, id: string): Promise<ShownDelivery> {
  return desk.store.change(actor, async ({ db, now, audit, workFor }) => {
    const before = await findDelivery(db, id);
    const set = {
      state: 'pending',
      due_at: now,
      settled_at: null,
      retries_used: before.state === 'pending' ? before.retries_used : 0,
    };
    const { numUpdatedRows } = await db
      .updateTable('delivery')
      .set(set)
      .where('seq', '=', before.seq)
      .where('state', '=', before.state)
      .where('lease', 'is', null)
      .executeTakeFirst();
    const after = numUpdatedRows === 1n ? { ...before, ...set } : await findDelivery(db, id);
    await workFor([before.midoffice_id as string]);
    await audit('delivery.retry', id, { state: before.state }, { state: after.state });
    return showDelivery(after);
  });
}
