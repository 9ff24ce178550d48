/** Deliveries as support sees them: one with its attempts, and the search. */
import type { Kysely } from 'kysely';
import { deliveryId, deliverySeq } from '../orders/order-event.ts';
import { findDeliveries } from '../store/queue/list.ts';
import {
  type DeliveryState,
  type FoundDelivery,
  readDelivery,
} from '../store/queue/read-deliveries.ts';
import type { Schema } from '../store/schema.ts';
import { type ShownAttempt, showAttempt } from './attempts.ts';
import { type Desk, isoOrNull } from './desk.ts';
import { futureAttempts } from './future-attempts.ts';
import { type Page, type PageRequest, readLimit } from './page.ts';
import { Problem } from './problem.ts';
import { requestAsSent, type SentRequest } from './request-as-sent.ts';
import { whyFailed } from './why-failed.ts';

export function showDelivery({ webhooks }: Desk, found: FoundDelivery) {
  const inFlight = webhooks.isInFlight(found.seq);
  return {
    id: deliveryId(found.seq),
    event_id: found.event_id,
    type: found.type,
    partner_id: found.partner_id,
    partner_order_id: found.partner_order_id,
    agreement_number: found.agreement_number,
    status: found.status,
    midoffice_id: found.midoffice_id,
    state: found.state,
    in_flight: inFlight,
    attempts_made: found.attemptsMade,
    // Work of before an upgrade may be due from 0 on, which says nothing to people.
    next_attempt_at:
      !inFlight && found.dueAtMs !== null
        ? new Date(Math.max(found.dueAtMs, found.accepted_at)).toISOString()
        : null,
    accepted_at: new Date(found.accepted_at).toISOString(),
    settled_at: isoOrNull(found.settledAtMs),
  };
}

export type ShownDelivery = ReturnType<typeof showDelivery>;

export async function findDelivery(db: Kysely<Schema>, id: string): Promise<FoundDelivery> {
  const seq = deliverySeq(id);
  const found = seq === undefined ? undefined : await readDelivery(db, seq);
  if (!found) throw new Problem('delivery_not_found');
  return found;
}

export async function getDelivery(
  desk: Desk,
  id: string,
): Promise<
  ShownDelivery & {
    attempts: (ShownAttempt & { request: SentRequest | null })[];
    future_attempts: string[];
    why: string | null;
  }
> {
  const found = await findDelivery(desk.store.db, id);
  const attempts = await desk.store.db
    .selectFrom('attempt')
    .selectAll()
    .where('delivery_seq', '=', found.seq)
    .orderBy('number')
    .execute();
  const last = attempts.at(-1);
  const shown = showDelivery(desk, found);
  return {
    ...shown,
    attempts: attempts.map((attempt) => ({
      ...showAttempt(attempt),
      request: requestAsSent(found, attempt),
    })),
    future_attempts: futureAttempts(
      found,
      shown.in_flight,
      desk.webhooks.retrySchedule,
      desk.clock.now(),
    ),
    why: last?.outcome === 'failed' ? whyFailed(last, { isOver: found.state !== 'pending' }) : null,
  };
}

export interface DeliveryFilter extends PageRequest {
  state?: DeliveryState | undefined;
  midoffice_id?: string | undefined;
  partner_id?: string | undefined;
  partner_order_id?: string | undefined;
  type?: string | undefined;
  /** ISO 8601; of the acceptance. */
  since?: string | undefined;
  until?: string | undefined;
}

/** Newest first. Every filter has an index that ends in `seq`, so a page costs the same anywhere. */
export async function listDeliveries(
  desk: Desk,
  filter: DeliveryFilter,
): Promise<Page<ShownDelivery>> {
  const limit = readLimit(filter.limit);
  const found = await findDeliveries(
    desk.store.db,
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
    items: items.map((one) => showDelivery(desk, one)),
    next_cursor: found.length > limit && last ? deliveryId(last.seq) : null,
  };
}

/** The schema lets leap seconds pass, which are no time that a program could tell. */
export function readTime(text: string, field: string): number {
  const ms = Date.parse(text);
  if (!Number.isNaN(ms)) return ms;
  const detail = 'must be a date and time in ISO 8601';
  throw new Problem('validation_failed', `${field} ${detail}.`, [{ field, detail }]);
}

function readCursor(cursor: string): number {
  const seq = deliverySeq(cursor);
  if (seq !== undefined) return seq;
  const detail = 'must be the next_cursor of an earlier reply';
  throw new Problem('validation_failed', `cursor ${detail}.`, [{ field: 'cursor', detail }]);
}
