import type { Desk } from '../environment.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

/** No further attempts. One under way is not called back; it is recorded, and changes nothing. */
export async function cancelDelivery(
  desk: Desk,
  actor: string,
  id: string,
): Promise<ShownDelivery> {
  const found = await findDelivery(desk.store.db, id);
  if (found.state === 'cancelled') return showDelivery(desk, found);
  return desk.store.change(actor, async ({ db, audit, queue }) => {
    const isCancelled = await queue.cancel(found.seq);
    const after = await findDelivery(db, id);
    if (!isCancelled) {
      throw new Problem(
        'delivery_settled',
        `The delivery is ${after.state}; there is nothing to cancel.`,
      );
    }
    await audit('delivery.cancel', id, { state: 'pending' }, { state: after.state });
    return showDelivery(desk, after);
  });
}
