/** An order event as the booking core reports it, and the verdict on it. */
import type { EventType } from '@bellhop/partner';

export interface OrderEventInput {
  event_id: string;
  type: EventType;
  partner_id: string;
  partner_order_id: string;
  agreement_number?: string | null;
  status?: string | null;
  midoffice_id?: string | null;
  /** Not from the sender's JSON: the trace of the request that the event came with. */
  trace?: string;
}

export interface AcceptedEvent {
  event_id: string;
  outcome: 'queued' | 'duplicate' | 'no_midoffice';
  delivery_id: string;
}

/** Why a whole request is refused; `index` is that of the first invalid event. */
export interface Rejection {
  index: number;
  reason: 'event_id_reused' | 'unknown_partner' | 'unknown_midoffice';
}

export type Verdict = { results: AcceptedEvent[] } | { rejection: Rejection };

const PREFIX = 'del_';
/** At most 15 digits, so that each is an exact number. */
const WHOLE_ID = /^del_[1-9][0-9]{0,14}$/;
/** As a pattern, for a place in another one. */
export const DELIVERY_ID = WHOLE_ID.source.slice(1, -1);

export function deliveryId(seq: number): string {
  return PREFIX + seq;
}

/** Undefined if it is not a valid delivery id. */
export function deliverySeq(id: string): number | undefined {
  return WHOLE_ID.test(id) ? Number(id.slice(PREFIX.length)) : undefined;
}
