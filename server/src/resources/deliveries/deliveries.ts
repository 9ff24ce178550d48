/** A delivery as support sees it, and how to find one. */
import { deliveryId, deliverySeq } from '../../orders/order-event.ts';
import { type FoundDelivery, readDelivery } from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';

/** The reply's schema leaves out the columns that support does not see. */
export function showDelivery({ webhooks }: SupportEnvironment, found: FoundDelivery) {
  const in_flight = webhooks.isInFlight(found.seq);
  return {
    ...found,
    id: deliveryId(found.seq),
    in_flight,
    next_attempt_at: in_flight ? null : isoOrNull(found.due_at),
    accepted_at: new Date(found.accepted_at).toISOString(),
    settled_at: isoOrNull(found.settled_at),
  };
}

export type ShownDelivery = ReturnType<typeof showDelivery>;

export async function findDelivery(db: Database, id: string): Promise<FoundDelivery> {
  const seq = deliverySeq(id);
  const found = seq === undefined ? undefined : await readDelivery(db, seq);
  if (!found) throw new Problem('delivery_not_found');
  return found;
}
