/** The filter of lists, counts and changes of many deliveries. */
import type { EventType } from '@bellhop/partner';
import { deliverySeq } from '../../orders/order-event.ts';
import type { AttemptFailure } from '../../receiver/failure-codes.ts';
import type { DeliverySearch } from '../../store/queue/delivery-search.ts';
import type { StatusClass } from '../../store/queue/last-result.ts';
import type { DeliveryState } from '../../store/queue/read-deliveries.ts';
import { readTime } from '../problem.ts';

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
export function searchOf(
  { since, until, ids, ...same }: DeliveryFilter,
  path = '',
): DeliverySearch {
  return {
    ...same,
    sinceMs: since === undefined ? undefined : readTime(since, `${path}since`),
    untilMs: until === undefined ? undefined : readTime(until, `${path}until`),
    // An id that none can have matches nothing.
    seqs: ids?.flatMap((id) => deliverySeq(id) ?? []),
  };
}
