/** The filter of lists, counts and changes of many deliveries. */
import type { EventType } from '@bellhop/partner';
import type { AttemptFailure } from '../../delivery/attempt.ts';
import { deliverySeq } from '../../orders/order-event.ts';
import type { DeliverySearch } from '../../store/queue/delivery-search.ts';
import type { StatusClass } from '../../store/queue/last-result.ts';
import type { DeliveryState } from '../../store/queue/read-deliveries.ts';
import { readTime } from '../input.ts';

export interface DeliveryFilter {
  state?: DeliveryState | undefined;
  midoffice_id?: string | undefined;
  partner_id?: string | undefined;
  partner_order_id?: string | undefined;
  /** The beginning of the order id. */
  partner_order_id_prefix?: string | undefined;
  type?: EventType | undefined;
  /** Why the last attempt failed. */
  failure_code?: AttemptFailure | undefined;
  /** How the receiver answered the last attempt. */
  status_class?: StatusClass | undefined;
  /** When it was accepted, in ISO 8601. */
  since?: string | undefined;
  until?: string | undefined;
  /** Only these deliveries. */
  ids?: readonly string[] | null | undefined;
}

/** `path` leads to the filter's fields, for errors. */
export function searchOf(filter: DeliveryFilter, path = ''): DeliverySearch {
  return {
    state: filter.state,
    midofficeId: filter.midoffice_id,
    partnerId: filter.partner_id,
    partnerOrderId: filter.partner_order_id,
    partnerOrderIdPrefix: filter.partner_order_id_prefix,
    type: filter.type,
    failureCode: filter.failure_code,
    statusClass: filter.status_class,
    sinceMs: filter.since === undefined ? undefined : readTime(filter.since, `${path}since`),
    untilMs: filter.until === undefined ? undefined : readTime(filter.until, `${path}until`),
    // An id that none can have matches nothing.
    seqs: filter.ids?.flatMap((id) => deliverySeq(id) ?? []),
  };
}
