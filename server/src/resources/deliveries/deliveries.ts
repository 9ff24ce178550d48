/** A delivery as support sees it, and how to find one. */
import { deliveryId, deliverySeq } from '../../orders/order-event.ts';
import { type FoundDelivery, readDelivery } from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { Problem } from '../problem.ts';

export function showDelivery({ webhooks }: SupportEnvironment, found: FoundDelivery) {
  const inFlight = webhooks.isInFlight(found.seq);
  return {
    id: deliveryId(found.seq),
    event_id: found.event_id,
    type: found.type,
    partner_id: found.partner_id,
    partner_name: found.partnerName,
    partner_order_id: found.partner_order_id,
    agreement_number: found.agreement_number,
    status: found.status,
    midoffice_id: found.midoffice_id,
    midoffice_name: found.midofficeName,
    state: found.state,
    in_flight: inFlight,
    attempts_made: found.attemptsMade,
    last_status_code: found.lastStatusCode,
    last_failure_code: found.lastFailureCode,
    next_attempt_at: inFlight ? null : isoOrNull(found.dueAtMs),
    accepted_at: new Date(found.accepted_at).toISOString(),
    settled_at: isoOrNull(found.settledAtMs),
  };
}

export type ShownDelivery = ReturnType<typeof showDelivery>;

export async function findDelivery(db: Database, id: string): Promise<FoundDelivery> {
  const seq = deliverySeq(id);
  const found = seq === undefined ? undefined : await readDelivery(db, seq);
  if (!found) throw new Problem('delivery_not_found');
  return found;
}
