import type { OrderEventInput } from '../delivery/orders/order-event.ts';
import { EventType } from '../resources/deliveries/deliveries.ts';
import { like, story } from '../resources/examples.ts';
import {
  anyText,
  idOf,
  input,
  optionalIdOf,
  optionalText,
  reply,
  Type,
  words,
} from '../resources/forms.ts';

export const MOST_EVENTS = 1_000;

export const OrderEvent = input('OrderEvent', {
  event_id: like(
    story.eventId,
    anyText(1, 128, "The sender's own id; the same id again means the same event."),
  ),
  type: EventType,
  partner_id: like(story.partnerId, idOf('the partner that made the order')),
  partner_order_id: like(story.order, anyText(1, 256, "The partner's identifier of the booking.")),
  agreement_number: Type.Optional(like(story.agreement, optionalText(1_024))),
  status: Type.Optional(like('confirmed', optionalText(1_024))),
  midoffice_id: Type.Optional(
    like(
      story.midofficeId,
      optionalIdOf("the midoffice to deliver to; the partner's own if not given"),
    ),
  ),
});

const OrderEventBatch = input('OrderEventBatch', {
  events: Type.Array(OrderEvent, { minItems: 1, maxItems: MOST_EVENTS }),
});

export type ReportedEvents = OrderEventInput | { events: OrderEventInput[] };

/**
 * One event or a batch. The validator tells them apart by `events`, because a plain union reports
 * the errors of both; the OpenAPI document shows them as `oneOf`.
 */
export const OrderEvents = Type.Unsafe<ReportedEvents>({
  title: 'OrderEvents',
  type: 'object',
  if: { type: 'object', required: ['events'] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
  then: OrderEventBatch,
  else: OrderEvent,
});

export const EventOutcomes = reply('EventOutcomes', {
  results: Type.Array(
    Type.Object({
      event_id: like(story.eventId),
      outcome: words(['queued', 'duplicate', 'no_midoffice'], {
        title: 'EventOutcome',
        description:
          '`queued`: it will be delivered. `duplicate`: it was accepted before. `no_midoffice`: it is kept as unrouted, and can be delivered once its partner has a midoffice.',
      }),
      delivery_id: like(story.deliveryId, 'Of an unrouted event too.'),
    }),
    { description: 'In the order of the request.' },
  ),
});
