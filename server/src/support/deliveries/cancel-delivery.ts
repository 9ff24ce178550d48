import type { SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

/**
 * Stops further attempts. An attempt in flight is not aborted: it is recorded and changes nothing. The audit keeps
 * the reason.
 */
export async function cancelDelivery(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  { reason }: { reason?: string } = {},
): Promise<ShownDelivery> {
  const found = await findDelivery(environment.store.db, id);
  if (found.state === 'cancelled') return showDelivery(environment, found);
  return environment.store.change(actor, async ({ db, audit, queue }) => {
    const isCancelled = await queue.cancel(found.seq);
    const after = await findDelivery(db, id);
    if (!isCancelled) {
      throw new Problem(
        'delivery_settled',
        `The delivery is ${after.state}; there are no attempts to cancel.`,
      );
    }
    await audit(
      'delivery.cancel',
      id,
      { state: 'pending' },
      { state: after.state, ...(reason !== undefined && { reason }) },
    );
    return showDelivery(environment, after);
  });
}
