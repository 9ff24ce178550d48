/** What an id leads to: an order with its deliveries, or a call that was refused or failed. */
import { deliveryId } from '../../delivery/orders/order-event.ts';
import { findDeliveries } from '../../store/queue/list.ts';
import {
  type FoundDelivery,
  readDelivery,
  readDeliveryOfEvent,
} from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import { type Call, pageOfCalls } from '../calls/calls.ts';
import type { Judging } from '../calls/judge-calls.ts';
import type { SupportEnvironment } from '../environment.ts';
import { spellingsInUse } from './spellings.ts';

/** Of one order; the newest. */
export const MOST_DELIVERIES = 20;

export interface OrderFound {
  partnerId: string;
  orderId: string;
  /** The newest first. */
  deliveries: FoundDelivery[];
  hasMore: boolean;
  /** Ids of deliveries of other partners' orders with the same id. */
  others: string[];
}

/** Who asks. */
export interface Reader {
  environment: SupportEnvironment;
  judging: Judging;
  /** What belongs to others is not found. Undefined for support, which finds everything. */
  ownPartnerId: string | undefined;
  /** Support's id of a delivery. */
  seqOf(id: string): number | undefined;
  /** The id of a delivery as the reader knows it. */
  toId(id: string): string;
}

/** An order id comes first, as it was typed; the others cannot be mistaken for each other. */
export async function findCase(
  typed: string,
  reader: Reader,
): Promise<{ order: OrderFound } | { call: Call } | undefined> {
  // Nothing has such an id, and PostgreSQL refuses it.
  if (typed.includes('\0') || !typed.isWellFormed()) return undefined;
  const order = await findOrder(typed, reader);
  if (order) return { order };
  const call = await findCall(typed.trim().toLowerCase(), reader);
  return call && { call };
}

async function findOrder(typed: string, reader: Reader): Promise<OrderFound | undefined> {
  const { db } = reader.judging;
  const trimmed = typed.trim();
  for (const id of new Set([typed, trimmed])) {
    const order = await ordersCalled(db, id, reader);
    if (order) return order;
  }
  const one = await findOneDelivery(trimmed, reader);
  if (one) return ordersCalled(db, one.partner_order_id, { ownPartnerId: one.partner_id });
  for await (const id of spellingsInUse(db, trimmed)) {
    const order = await ordersCalled(db, id, reader);
    if (order) return order;
  }
  return undefined;
}

/** By its own id or that of its event. */
async function findOneDelivery(
  id: string,
  { judging: { db }, ownPartnerId, seqOf }: Reader,
): Promise<FoundDelivery | undefined> {
  const isFound = (one: FoundDelivery | undefined) =>
    one !== undefined && (ownPartnerId === undefined || one.partner_id === ownPartnerId);
  const seq = seqOf(id.toLowerCase());
  const byId = seq === undefined ? undefined : await readDelivery(db, seq);
  if (isFound(byId)) return byId;
  for (const spelling of new Set([id, id.toLowerCase(), id.toUpperCase()])) {
    const byEvent = await readDeliveryOfEvent(db, spelling);
    if (isFound(byEvent)) return byEvent;
  }
  return undefined;
}

/** If several partners have an order of this id, that of the newest event. */
async function ordersCalled(
  db: Database,
  orderId: string,
  { ownPartnerId }: Pick<Reader, 'ownPartnerId'>,
): Promise<OrderFound | undefined> {
  const read = (partner_id: string | undefined) =>
    findDeliveries(db, { partner_order_id: orderId, partner_id }, MOST_DELIVERIES + 1);
  const all = await read(ownPartnerId);
  const [newest] = all;
  if (!newest) return undefined;
  const partnerId = newest.partner_id;
  const firsts = new Map(all.map(({ partner_id, seq }) => [partner_id, deliveryId(seq)]));
  firsts.delete(partnerId);
  const own = firsts.size === 0 ? all : await read(partnerId);
  return {
    partnerId,
    orderId,
    deliveries: own.slice(0, MOST_DELIVERIES),
    hasMore: own.length > MOST_DELIVERIES,
    others: [...firsts.values()],
  };
}

async function findCall(
  requestId: string,
  { judging, ownPartnerId: partnerId }: Reader,
): Promise<Call | undefined> {
  if (!/^[0-9a-f]{32}$/.test(requestId)) return undefined;
  const { items } = await pageOfCalls(judging, { requestId, partnerId }, { limit: 1 });
  return items[0];
}
