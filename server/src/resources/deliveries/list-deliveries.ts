import { deliveryId, deliverySeq } from '../../orders/order-event.ts';
import { findDeliveries } from '../../store/queue/list.ts';
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { SupportEnvironment } from '../environment.ts';
import {
  badCursor,
  DEFAULT_PAGE,
  decodeText,
  encodeText,
  type Page,
  type PageRequest,
} from '../page.ts';
import { type ShownDelivery, showDelivery } from './deliveries.ts';
import { type DeliveryFilter, searchOf } from './delivery-filter.ts';

/**
 * Newest first; with the beginning of an order id, in descending order of the ids. Every filter has an index in
 * that order, so every page costs the same.
 */
export async function listDeliveries(
  environment: SupportEnvironment,
  { limit = DEFAULT_PAGE, cursor, ...filter }: DeliveryFilter & PageRequest,
): Promise<Page<ShownDelivery>> {
  const isByOrderId = filter.partner_order_id_prefix !== undefined;
  const search = { ...searchOf(filter), ...readCursor(cursor, isByOrderId) };
  const found = await findDeliveries(environment.store.db, search, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map((one) => showDelivery(environment, one)),
    next_cursor: found.length > limit && last ? writeCursor(last, isByOrderId) : null,
  };
}

function writeCursor({ seq, partner_order_id }: FoundDelivery, isByOrderId: boolean): string {
  if (!isByOrderId) return deliveryId(seq);
  return `${deliveryId(seq)}.${encodeText(partner_order_id)}`;
}

function readCursor(cursor: string | undefined, isByOrderId: boolean) {
  if (cursor === undefined) return {};
  const [id = '', order, ...more] = cursor.split('.');
  const beforeSeq = deliverySeq(id);
  if (beforeSeq === undefined || more.length > 0 || isByOrderId !== (order !== undefined)) {
    throw badCursor();
  }
  if (order === undefined) return { beforeSeq };
  return { beforeSeq, beforeOrderId: decodeText(order) };
}
