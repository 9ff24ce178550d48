import type { SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

/**
 * Stops further attempts, or a delivery that waits for a midoffice. An attempt in flight is not aborted: it is
 * recorded and changes nothing. Cancelling again changes nothing. The audit keeps the reason.
 */
export async function cancelDelivery(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  { reason }: { reason?: string } = {},
): Promise<ShownDelivery> {
  return environment.store.change(actor, async ({ db, audit, queue, unchanged }) => {
    const { seq } = await findDelivery(db, id);
    const isCancelled = await queue.cancel(seq);
    const after = await findDelivery(db, id);
    // Somebody else was faster.
    if (!isCancelled && after.state === 'cancelled')
      return unchanged(showDelivery(environment, after));
    if (!isCancelled) {
      throw new Problem(
        'delivery_settled',
        `The delivery is ${after.state}; there are no attempts to cancel.`,
      );
    }
    await audit(
      'delivery.cancel',
      id,
      { state: after.midoffice_id === null ? 'unrouted' : 'pending' },
      { state: after.state, ...(reason !== undefined && { reason }) },
    );
    return showDelivery(environment, after);
  });
}
