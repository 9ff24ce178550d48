/**
 * Which deliveries a search finds, newest first. A search for a state reads the table that holds it, so
 * it finds the few that are pending or given up without reading everything that was delivered.
 */
import type { EventType } from '@bellhop/partner';
import { type Kysely, sql } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import type { Schema } from '../schema.ts';
import { isIn, isNotIn } from './conditions.ts';
import {
  type DeliveryState,
  type FoundDelivery,
  type Picked,
  readDeliveries,
} from './read-deliveries.ts';

/** Rows are numbered in the order of acceptance, on nodes whose clocks differ by less than this. */
const CLOCK_SKEW_MS = 60_000;

export interface DeliverySearch {
  state?: DeliveryState | undefined;
  midofficeId?: string | undefined;
  partnerId?: string | undefined;
  partnerOrderId?: string | undefined;
  type?: EventType | undefined;
  /** When it was accepted, both ends included. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  /** Only those accepted before this one. */
  beforeSeq?: number | undefined;
}

export async function findDeliveries(
  db: Kysely<Schema>,
  search: DeliverySearch,
  limit: number,
): Promise<FoundDelivery[]> {
  const { from, query } = pickByState(db, search);
  const seq = sql.ref<number>(`${from}.seq`);
  let picked = query;
  if (search.midofficeId !== undefined) {
    picked = picked.where(`${from}.midoffice_id`, '=', search.midofficeId);
    if (from === 'pending')
      picked = picked.where('pending.shard', '=', shardOf(search.midofficeId));
  }
  if (search.partnerId !== undefined) {
    picked = picked.where('delivery.partner_id', '=', search.partnerId);
  }
  if (search.partnerOrderId !== undefined) {
    picked = picked.where('delivery.partner_order_id', '=', search.partnerOrderId);
  }
  if (search.type !== undefined) {
    // Written out: a parameter could not use the indexes of single types.
    picked = picked.where('delivery.type', '=', sql.lit(search.type));
  }
  if (search.sinceMs !== undefined) {
    picked = picked
      .where('delivery.accepted_at', '>=', search.sinceMs)
      .where(seq, '>=', await firstSince(db, search.sinceMs));
  }
  if (search.untilMs !== undefined) {
    picked = picked
      .where('delivery.accepted_at', '<=', search.untilMs)
      .where(seq, '<=', await lastUntil(db, search.untilMs));
  }
  if (search.beforeSeq !== undefined) picked = picked.where(seq, '<', search.beforeSeq);
  return readDeliveries(db, picked.orderBy(seq, 'desc').limit(limit));
}

function pickByState(
  db: Kysely<Schema>,
  { state, partnerOrderId }: DeliverySearch,
): { from: 'delivery' | 'pending' | 'given_up'; query: Picked } {
  const facts: Picked = db.selectFrom('delivery').select('delivery.seq');
  // An order has few events, so its index finds them faster than a state does.
  const byOrder = partnerOrderId !== undefined;
  switch (state) {
    case undefined:
      return { from: 'delivery', query: facts };
    case 'unrouted':
      return { from: 'delivery', query: facts.where('delivery.midoffice_id', 'is', null) };
    case 'delivered':
      return {
        from: 'delivery',
        query: facts
          .where('delivery.midoffice_id', 'is not', null)
          .where(isNotIn('pending'))
          .where(isNotIn('given_up')),
      };
    case 'pending':
      if (byOrder) return { from: 'delivery', query: facts.where(isIn('pending')) };
      return {
        from: 'pending',
        query: db
          .selectFrom('pending')
          // SQLite joins a cross join in the order given.
          .crossJoin('delivery')
          .select('pending.seq')
          .whereRef('delivery.seq', '=', 'pending.seq'),
      };
    default:
      if (byOrder) {
        const query = facts
          .innerJoin('given_up', 'given_up.seq', 'delivery.seq')
          .where('given_up.state', '=', state);
        return { from: 'delivery', query };
      }
      return {
        from: 'given_up',
        query: db
          .selectFrom('given_up')
          .crossJoin('delivery')
          .select('given_up.seq')
          .whereRef('delivery.seq', '=', 'given_up.seq')
          .where('given_up.state', '=', state),
      };
  }
}

/** Turns a span of time into a span of sequence numbers, which every index can use. */
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
