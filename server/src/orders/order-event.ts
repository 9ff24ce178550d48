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

export function deliveryId(seq: number): string {
  return `del_${seq}`;
}

/** Undefined if it is not a valid delivery id. */
export function deliverySeq(id: string): number | undefined {
  const seq = Number(/^del_([1-9]\d{0,15})$/.exec(id)?.[1]);
  return Number.isSafeInteger(seq) ? seq : undefined;
}
