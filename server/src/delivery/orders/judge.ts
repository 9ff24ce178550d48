/**
 * Check and route: which events are new, which are duplicates, and where the new ones go. Pure, so that
 * both engines decide alike; they differ only in how they look up facts and write rows.
 */
import type { EventType } from '@bellhop/partner';
import {
  type AcceptedEvent,
  deliveryId,
  type OrderEventInput,
  type Rejection,
  type Verdict,
} from './order-event.ts';

/** As it is stored. */
export interface EventContent {
  type: EventType;
  partner_id: string;
  partner_order_id: string;
  agreement_number: string | null;
  status: string | null;
  /** The midoffice that the event names; null if it leaves the choice to its partner. */
  asked_midoffice_id: string | null;
}

export interface NewDelivery extends EventContent {
  event_id: string;
  /** Null if there is none to deliver it to. */
  midoffice_id: string | null;
  /** Whether its midoffice delivers the events of one order one after another. */
  ordered: boolean;
  /** Not part of the content: an event that is sent again has another trace. */
  trace_context: string | null;
}

export interface StoredEvent extends EventContent {
  seq: number;
  /** Where it goes; null while it is unrouted. */
  midoffice_id: string | null;
}

type Known = EventContent & Pick<StoredEvent, 'midoffice_id'>;

export interface Facts {
  /** The midoffice of a partner: null if it has none, undefined if the partner does not exist. */
  midofficeOf(partnerId: string): string | null | undefined;
  /** Undefined if the midoffice does not exist. */
  isOrdered(midofficeId: string): boolean | undefined;
  /** The event that was accepted earlier under this id. */
  stored(eventId: string): StoredEvent | undefined;
}

/** Store `rows` in this order; then their sequence numbers complete the `verdicts`. */
export interface Judgement {
  rows: NewDelivery[];
  verdicts(seqOf: (eventId: string) => number): Verdict[];
}

type Outcome = (seqOf: (eventId: string) => number) => AcceptedEvent;

/** Accepts all events of a request or none. Requests do not affect each other. */
export function judge(requests: readonly (readonly OrderEventInput[])[], facts: Facts): Judgement {
  const rows = new Map<string, NewDelivery>();
  const judged = requests.map((events): Outcome[] | Rejection => {
    const fresh = new Map<string, NewDelivery>();
    const outcomes: Outcome[] = [];
    for (const [index, event] of events.entries()) {
      const content = contentOf(event);
      const stored = facts.stored(event.event_id);
      const known = stored ?? fresh.get(event.event_id) ?? rows.get(event.event_id);
      if (known) {
        if (!isSame(known, content, facts)) return { index, reason: 'event_id_reused' };
        outcomes.push(duplicate(event.event_id, stored?.seq));
        continue;
      }
      const route = routeOf(event, facts);
      if (typeof route === 'string') return { index, reason: route };
      const trace_context = event.trace ?? null;
      fresh.set(event.event_id, { event_id: event.event_id, ...content, ...route, trace_context });
      outcomes.push(queued(event.event_id, route.midoffice_id));
    }
    for (const [eventId, row] of fresh) rows.set(eventId, row);
    return outcomes;
  });
  return {
    rows: [...rows.values()],
    verdicts: (seqOf) =>
      judged.map((one) =>
        Array.isArray(one) ? { results: one.map((outcome) => outcome(seqOf)) } : { rejection: one },
      ),
  };
}

function routeOf(
  event: OrderEventInput,
  facts: Facts,
): Pick<NewDelivery, 'midoffice_id' | 'ordered'> | Rejection['reason'] {
  const ofPartner = facts.midofficeOf(event.partner_id);
  if (ofPartner === undefined) return 'unknown_partner';
  const midofficeId = event.midoffice_id ?? ofPartner;
  if (midofficeId === null) return { midoffice_id: null, ordered: false };
  const ordered = facts.isOrdered(midofficeId);
  if (ordered === undefined) return 'unknown_midoffice';
  return { midoffice_id: midofficeId, ordered };
}

function queued(eventId: string, midofficeId: string | null): Outcome {
  return (seqOf) => ({
    event_id: eventId,
    outcome: midofficeId === null ? 'no_midoffice' : 'queued',
    delivery_id: deliveryId(seqOf(eventId)),
  });
}

function duplicate(eventId: string, seq: number | undefined): Outcome {
  return (seqOf) => ({
    event_id: eventId,
    outcome: 'duplicate',
    delivery_id: deliveryId(seq ?? seqOf(eventId)),
  });
}

function contentOf(event: OrderEventInput): EventContent {
  return {
    type: event.type,
    partner_id: event.partner_id,
    partner_order_id: event.partner_order_id,
    agreement_number: event.agreement_number ?? null,
    status: event.status ?? null,
    asked_midoffice_id: event.midoffice_id ?? null,
  };
}

function isSame(known: Known, content: EventContent, facts: Facts): boolean {
  return (
    known.type === content.type &&
    known.partner_id === content.partner_id &&
    known.partner_order_id === content.partner_order_id &&
    known.agreement_number === content.agreement_number &&
    known.status === content.status &&
    (known.asked_midoffice_id === content.asked_midoffice_id || goesThere(known, content, facts))
  );
}

/**
 * Whether one of the two names the midoffice that the other goes to anyway. Where the known one went is settled,
 * whatever midoffice its partner has by now. Where nothing is settled, the partner's midoffice counts.
 */
function goesThere(known: Known, content: EventContent, facts: Facts): boolean {
  const ofPartner = facts.midofficeOf(content.partner_id) ?? null;
  return (known.midoffice_id ?? ofPartner) === (content.asked_midoffice_id ?? ofPartner);
}
