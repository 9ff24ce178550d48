/** Deliveries as support sees them: one with its attempts, and the search. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { deliveryId, deliverySeq } from '../orders/order-event.ts';
import type { DeliveryRow, Schema } from '../store/schema.ts';
import { type ShownAttempt, showAttempt } from './attempts.ts';
import { type Desk, isoOrNull } from './desk.ts';
import { futureAttempts } from './future-attempts.ts';
import { type Page, type PageRequest, readLimit } from './page.ts';
import { Problem } from './problem.ts';
import { requestAsSent, type SentRequest } from './request-as-sent.ts';
import { whyFailed } from './why-failed.ts';

export const deliveryStates = [
  'pending',
  'delivered',
  'exhausted',
  'cancelled',
  'unrouted',
] as const;

/** Rows are numbered in the order of their acceptance, by clocks that differ by less than this. */
const CLOCK_SKEW_MS = 60_000;

export type Row = Selectable<DeliveryRow>;

export function showDelivery(row: Row) {
  const inFlight = row.lease !== null;
  return {
    id: deliveryId(row.seq),
    event_id: row.event_id,
    type: row.type,
    partner_id: row.partner_id,
    partner_order_id: row.partner_order_id,
    agreement_number: row.agreement_number,
    status: row.status,
    midoffice_id: row.midoffice_id,
    state: row.state,
    in_flight: inFlight,
    attempts_made: row.attempts_made,
    // Work that was given back is due from 0 on, which says nothing to people.
    next_attempt_at:
      row.state === 'pending' && !inFlight && row.due_at !== null
        ? new Date(Math.max(row.due_at, row.accepted_at)).toISOString()
        : null,
    accepted_at: new Date(row.accepted_at).toISOString(),
    // Of an unrouted one it is only what retention goes by.
    settled_at: row.state === 'unrouted' ? null : isoOrNull(row.settled_at),
  };
}

export type ShownDelivery = ReturnType<typeof showDelivery>;

export async function findDelivery(db: Kysely<Schema>, id: string): Promise<Row> {
  const seq = deliverySeq(id);
  const row =
    seq === undefined
      ? undefined
      : await db.selectFrom('delivery').selectAll().where('seq', '=', seq).executeTakeFirst();
  if (!row) throw new Problem('delivery_not_found');
  return row;
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
  const row = await findDelivery(desk.store.db, id);
  const attempts = await desk.store.db
    .selectFrom('attempt')
    .selectAll()
    .where('delivery_seq', '=', row.seq)
    .orderBy('number')
    .execute();
  const last = attempts.at(-1);
  return {
    ...showDelivery(row),
    attempts: attempts.map((attempt) => ({
      ...showAttempt(attempt),
      request: requestAsSent(row, attempt),
    })),
    future_attempts: futureAttempts(row, desk.webhooks.retrySchedule, desk.clock.now()),
    why: last?.outcome === 'failed' ? whyFailed(last, { isOver: row.state !== 'pending' }) : null,
  };
}

export interface DeliveryFilter extends PageRequest {
  state?: (typeof deliveryStates)[number] | undefined;
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
  const { db } = desk.store;
  let query = db.selectFrom('delivery').selectAll();
  // Spelled into the statement: SQLite uses a partial index only for a value that it can see.
  if (filter.state !== undefined) query = query.where('state', '=', sql.lit(filter.state));
  if (filter.state === 'exhausted' || filter.state === 'cancelled') {
    // As the index has it, or SQLite would not see that it may use it.
    query = query.where('state', 'in', [sql.lit('exhausted'), sql.lit('cancelled')]);
  }
  if (filter.midoffice_id !== undefined) {
    query = query.where('midoffice_id', '=', filter.midoffice_id);
  }
  if (filter.partner_id !== undefined) query = query.where('partner_id', '=', filter.partner_id);
  if (filter.partner_order_id !== undefined) {
    query = query.where('partner_order_id', '=', filter.partner_order_id);
  }
  if (filter.type !== undefined) query = query.where('type', '=', filter.type);
  if (filter.since !== undefined) {
    const sinceMs = readTime(filter.since, 'since');
    query = query
      .where('accepted_at', '>=', sinceMs)
      .where('seq', '>=', await firstSince(db, sinceMs));
  }
  if (filter.until !== undefined) {
    const untilMs = readTime(filter.until, 'until');
    query = query
      .where('accepted_at', '<=', untilMs)
      .where('seq', '<=', await lastUntil(db, untilMs));
  }
  if (filter.cursor !== undefined) query = query.where('seq', '<', readCursor(filter.cursor));
  const rows = await query
    .orderBy('seq', 'desc')
    .limit(limit + 1)
    .execute();
  const items = rows.slice(0, limit);
  const last = items[items.length - 1];
  return {
    items: items.map(showDelivery),
    next_cursor: rows.length > limit && last ? deliveryId(last.seq) : null,
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

/** A span of time as a span of row numbers, which every index can use. */
async function firstSince(db: Kysely<Schema>, sinceMs: number): Promise<number> {
  const row = await db
    .selectFrom('delivery')
    .select('seq')
    .where('accepted_at', '>=', sinceMs - CLOCK_SKEW_MS)
    .orderBy('accepted_at')
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? Number.MAX_SAFE_INTEGER;
}

async function lastUntil(db: Kysely<Schema>, untilMs: number): Promise<number> {
  const row = await db
    .selectFrom('delivery')
    .select('seq')
    .where('accepted_at', '<=', untilMs + CLOCK_SKEW_MS)
    .orderBy('accepted_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
}
