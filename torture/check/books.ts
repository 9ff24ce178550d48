/** Every event answered with 202 is stored with the reported content, and nothing else is stored. */
import type { Ledger, SentEvent } from '../ledger.ts';
import type { Delivery } from './deliveries.ts';

export function checkBooks(ledger: Ledger, deliveries: readonly Delivery[]): void {
  const kept = new Map(deliveries.map((one) => [`${one.environment} ${one.id}`, one]));
  for (const event of ledger.events.values()) {
    if (event.deliveryId === undefined) continue;
    const delivery = kept.get(`${event.environment} ${event.deliveryId}`);
    const what = `${event.environment} ${event.deliveryId} of ${event.eventId}`;
    if (!delivery) {
      ledger.violate('every 202 is kept', `${what} is gone`);
    } else if (delivery.eventId !== event.eventId) {
      ledger.violate('every 202 is kept', `${what} is of ${delivery.eventId}`);
    } else if (JSON.stringify(delivery.content) !== JSON.stringify(contentOf(event))) {
      ledger.violate(
        'content is kept as it was reported',
        `${what}: ${JSON.stringify(delivery.content)}, not ${JSON.stringify(contentOf(event))}`,
      );
    }
  }
  for (const delivery of deliveries) {
    const event = ledger.find(delivery.environment, delivery.eventId);
    if (event?.deliveryId === delivery.id) continue;
    ledger.violate(
      'there is one delivery for each event, and no other',
      `${delivery.environment} ${delivery.id} of ${delivery.eventId}; its event has ${event?.deliveryId}`,
    );
  }
}

function contentOf(event: SentEvent) {
  return {
    type: event.type,
    partner_id: event.partnerId,
    partner_order_id: event.orderId,
    agreement_number: event.agreementNumber ?? null,
    status: event.status ?? null,
    midoffice_id: event.office?.id ?? null,
  };
}
