/** What happened to an order, or around a call that was refused, from each kind of record. */
import { pathOf } from '@bellhop/rules/endpoint-path';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import { inWords } from '../../notices/kinds.ts';
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { AttemptRow, PartnerRow } from '../../store/schema.ts';
import { type Call, pageOfCalls } from '../calls/calls.ts';
import { readNewestAttempts } from '../deliveries/queries.ts';
import { whyFailed } from '../deliveries/why-failed.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findNotices } from '../notices/list-queries.ts';
import { whatWasDone } from './actions.ts';
import type { OrderFound, Reader } from './find-case.ts';
import type { Item, Items, Span } from './item.ts';

/** Of all deliveries of an order; the newest. */
const MOST_ATTEMPTS = 100;
const MOST_CALLS = 20;
const MOST_NOTICES = 20;
/** Of what an answer says. */
const ANSWER_LENGTH = 200;

const MINUTE_MS = 60_000;
/** Calls refused so long before and after are near. An order's case goes on for as long after its last event. */
const NEARBY_MS = 15 * MINUTE_MS;
/** Changes and notices so long before and after a refused call may have to do with it. */
const AROUND_CALL_MS = 24 * 60 * MINUTE_MS;

export async function itemsOfOrder(
  order: OrderFound,
  partner: PartnerRow,
  reader: Reader,
): Promise<Items> {
  const { deliveries } = order;
  const { store, clock } = reader.environment;
  const attempts = await attemptsOf(deliveries, reader);
  const sinceMs = Math.min(...deliveries.map((one) => one.accepted_at));
  const isOver = deliveries.every(({ settled_at }) => settled_at !== null);
  const ends = deliveries.flatMap((one) => [one.settled_at ?? 0, one.acknowledged_at ?? 0]);
  const lastMs = Math.max(...ends, ...attempts.items.map(({ atMs }) => atMs));
  const span = { sinceMs, untilMs: isOver ? lastMs + NEARBY_MS : clock.now() };
  const near = { sinceMs: sinceMs - NEARBY_MS, untilMs: span.untilMs };
  const ofAll = (itemsOf: typeof beginOf) => ({
    items: deliveries.toReversed().flatMap((one) => itemsOf(one, reader)),
    isComplete: true,
  });
  // Items of the same time stay in this order.
  return together([
    ofAll(beginOf),
    await whatWasDone(reader, { partner, deliveries, span }),
    attempts,
    ofAll(endOf),
    await refusedCalls(reader, partner.id, near),
    await notices(store.db, partner.id, span),
  ]);
}

export async function itemsOfCall(
  call: Call,
  partner: PartnerRow | undefined,
  reader: Reader,
): Promise<Items> {
  const own = { items: [ofCall(call)], isComplete: true };
  if (!partner) return own;
  const atMs = Date.parse(call.at);
  const around = (ms: number) => ({ sinceMs: atMs - ms, untilMs: atMs + ms });
  const { key_id: keyId } = call;
  const nearby = await refusedCalls(reader, partner.id, around(NEARBY_MS));
  return together([
    own,
    await whatWasDone(reader, { partner, keyId, span: around(AROUND_CALL_MS) }),
    { ...nearby, items: nearby.items.filter((one) => one.request_id !== call.request_id) },
    await notices(reader.environment.store.db, partner.id, around(AROUND_CALL_MS)),
  ]);
}

function together(parts: readonly Items[]): Items {
  return {
    items: parts.flatMap(({ items }) => items),
    isComplete: parts.every(({ isComplete }) => isComplete),
  };
}

function beginOf(found: FoundDelivery, { toId }: Reader): Item[] {
  const { event_id, type, partner_order_id, accepted_at } = found;
  const subject = toId(deliveryId(found.seq));
  const accepted: Item = {
    atMs: accepted_at,
    kind: 'accepted',
    sentence: `Event ${event_id} (order ${partner_order_id} ${type}) was accepted.`,
    subject,
  };
  return [accepted, { ...routeOf(found), atMs: accepted_at, subject }];
}

function endOf({ seq, settled_at, state }: FoundDelivery, { toId }: Reader): Item[] {
  if (settled_at === null || state === 'pending' || state === 'unrouted') return [];
  const subject = toId(deliveryId(seq));
  return [{ atMs: settled_at, kind: state, sentence: settledAs[state], subject }];
}

const settledAs = {
  delivered: 'The webhook was delivered.',
  exhausted: 'The webhook was given up: all attempts had failed.',
  cancelled: 'The webhook was cancelled: no further attempts.',
};

/** Where it goes now: another midoffice may have taken the place of the first when it was sent again. */
function routeOf({ midoffice_id, midoffice_name, asked_midoffice_id }: FoundDelivery) {
  if (midoffice_id === null) {
    return {
      kind: 'unrouted' as const,
      sentence: 'The partner had no midoffice, so no webhook was sent.',
    };
  }
  const why = asked_midoffice_id === null ? '' : ', which the event names';
  const name = midoffice_name ?? midoffice_id;
  return { kind: 'routed' as const, sentence: `Its webhook goes to ${name}${why}.` };
}

async function attemptsOf(
  deliveries: readonly FoundDelivery[],
  { environment: { store }, toId }: Reader,
): Promise<Items> {
  const seqs = deliveries.map(({ seq }) => seq);
  const rows = await readNewestAttempts(store.db, seqs, MOST_ATTEMPTS + 1);
  const items = rows.slice(0, MOST_ATTEMPTS).map((attempt): Item => {
    const { number, status_code, url, reply_excerpt } = attempt;
    return {
      atMs: attempt.started_at,
      kind: 'attempt',
      sentence: `Attempt ${number} ${howItEnded(attempt)}`,
      subject: toId(deliveryId(attempt.delivery_seq)),
      attempt: number,
      url,
      status_code,
      answer: reply_excerpt?.slice(0, ANSWER_LENGTH) ?? null,
    };
  });
  return { items, isComplete: rows.length <= MOST_ATTEMPTS };
}

function howItEnded(attempt: AttemptRow): string {
  return attempt.outcome === 'delivered'
    ? `was delivered: the receiver answered ${attempt.status_code} after ${attempt.duration_ms} ms.`
    : `failed after ${attempt.duration_ms} ms. ${whyFailed(attempt, 'unknown')}`;
}

async function refusedCalls(
  { judging }: Reader,
  partnerId: string,
  { sinceMs, untilMs }: Span,
): Promise<Items> {
  const filter = { partnerId, sinceMs, untilMs };
  const page = await pageOfCalls(judging, filter, { limit: MOST_CALLS });
  return { items: page.items.map(ofCall), isComplete: page.next_cursor === null };
}

function ofCall(call: Call): Item {
  const { key_id, endpoint, path, address, status, code, sampled_from, verdict } = call;
  const by = key_id === null ? '' : ` with key ${key_id}`;
  const to = endpoint === null ? (path ?? 'no valid address') : pathOf(endpoint);
  const more = sampled_from > 1 ? ` It stands for ${sampled_from} such calls.` : '';
  return {
    atMs: Date.parse(call.at),
    kind: 'refused',
    sentence: `A call${by} from ${address} to ${to} got ${status} ${code}. ${verdict.sentence}${more}`,
    subject: key_id,
    request_id: call.request_id,
    status_code: status,
  };
}

async function notices(
  db: SupportEnvironment['store']['db'],
  partnerId: string,
  { sinceMs, untilMs }: Span,
): Promise<Items> {
  const slice = { limit: MOST_NOTICES + 1, after: [untilMs + 1, ''] as const };
  const found = await findNotices(db, slice, { partnerId });
  const inSpan = found.filter(({ at }) => at >= sinceMs);
  const items = inSpan.slice(0, MOST_NOTICES).map((row): Item => {
    const { subject, text } = inWords(row);
    return { atMs: row.at, kind: 'notice', sentence: `${subject}. ${text}` };
  });
  return { items, isComplete: inSpan.length <= MOST_NOTICES };
}
