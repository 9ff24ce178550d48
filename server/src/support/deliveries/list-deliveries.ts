import type { EventType } from '@bellhop/partner';
import { deliveryId, deliverySeq } from '../../orders/order-event.ts';
import { findDeliveries } from '../../store/queue/list.ts';
import type { DeliveryState } from '../../store/queue/read-deliveries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { badCursor, DEFAULT_PAGE, type Page, type PageRequest } from '../page.ts';
import { readTime, type ShownDelivery, showDelivery } from './deliveries.ts';

export interface DeliveryFilter extends PageRequest {
  state?: DeliveryState | undefined;
  midoffice_id?: string | undefined;
  partner_id?: string | undefined;
  partner_order_id?: string | undefined;
  type?: EventType | undefined;
  /** When it was accepted, in ISO 8601. */
  since?: string | undefined;
  until?: string | undefined;
}

/** Newest first. Every filter has an index that ends in `seq`, so every page costs the same. */
export async function listDeliveries(
  environment: SupportEnvironment,
  filter: DeliveryFilter,
): Promise<Page<ShownDelivery>> {
  const limit = filter.limit ?? DEFAULT_PAGE;
  const found = await findDeliveries(
    environment.store.db,
    {
      state: filter.state,
      midofficeId: filter.midoffice_id,
      partnerId: filter.partner_id,
      partnerOrderId: filter.partner_order_id,
      type: filter.type,
      sinceMs: filter.since === undefined ? undefined : readTime(filter.since, 'since'),
      untilMs: filter.until === undefined ? undefined : readTime(filter.until, 'until'),
      beforeSeq: filter.cursor === undefined ? undefined : readCursor(filter.cursor),
    },
    limit + 1,
  );
  const items = found.slice(0, limit);
  const last = items[items.length - 1];
  return {
    items: items.map((one) => showDelivery(environment, one)),
    next_cursor: found.length > limit && last ? deliveryId(last.seq) : null,
  };
}

function readCursor(cursor: string): number {
  const seq = deliverySeq(cursor);
  if (seq === undefined) throw badCursor();
  return seq;
}
