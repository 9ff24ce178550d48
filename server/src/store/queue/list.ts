/**
 * Which deliveries a search finds, newest first; with the beginning of an order id, in descending order of the ids.
 * A search for a state reads the table that holds it, so it finds the few that are pending or given up without
 * reading everything that was delivered.
 */

import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { type DeliveryState, isGivenUp } from '../../delivery/states.ts';
import type { Schema } from '../schema.ts';
import { isNotIn, isUnacknowledged, isUnrouted } from './conditions.ts';
import {
  asksForFacts,
  beginsWithFacts,
  bounded,
  type DeliverySearch,
  matching,
  ofDelivery,
  pendingOfMidoffice,
  type StateTable,
  seqSpanOf,
  sinceOldestIn,
} from './delivery-search.ts';
import { canBeDelivered, endedAs } from './last-result.ts';
import { type FoundDelivery, type Picked, readDeliveries, stateOf } from './read-deliveries.ts';

export type { DeliverySearch } from './delivery-search.ts';

export interface FoundState {
  seq: number;
  /** Empty unless the list is in the order of the ids. */
  partner_order_id: string;
  state: DeliveryState;
}

type Table = 'delivery' | StateTable;

export async function findDeliveries(
  db: Kysely<Schema>,
  search: DeliverySearch,
  limit: number,
): Promise<FoundDelivery[]> {
  const picked = await pick(db, search, limit);
  if (!picked) return [];
  const found = await readDeliveries(db, picked);
  return isByOrderId(search) ? found.sort(byOrderId) : found;
}

/** Only where each delivery is and in which state, for reading many. */
export async function findStates(
  db: Kysely<Schema>,
  search: DeliverySearch,
  limit: number,
): Promise<FoundState[]> {
  const picked = await pick(db, search, limit);
  if (!picked) return [];
  // Known from the search, so that counting a million of them reads only an index.
  const state = search.only === 'unacknowledged' ? 'exhausted' : search.state;
  if (state !== undefined && !isByOrderId(search)) {
    const rows = await picked.execute();
    return rows.map(({ seq }) => ({ seq, partner_order_id: '', state }));
  }
  const rows = await db
    .selectFrom(picked.as('picked'))
    .crossJoin('delivery')
    .leftJoin('pending', 'pending.seq', 'delivery.seq')
    .leftJoin('given_up', 'given_up.seq', 'delivery.seq')
    .select([
      'delivery.seq',
      'delivery.partner_order_id',
      'delivery.midoffice_id',
      'pending.seq as pending_seq',
      'given_up.state as given_up_as',
    ])
    .whereRef('delivery.seq', '=', 'picked.seq')
    .execute();
  const found = rows.map((row) => ({
    seq: row.seq,
    partner_order_id: isByOrderId(search) ? row.partner_order_id : '',
    state: stateOf(row.pending_seq !== null, row.given_up_as, row.midoffice_id),
  }));
  return isByOrderId(search) ? found.sort(byOrderId) : found.sort((a, b) => b.seq - a.seq);
}

function isByOrderId({ partner_order_id_prefix }: DeliverySearch): boolean {
  return partner_order_id_prefix !== undefined;
}

type Placed = Pick<FoundState, 'seq' | 'partner_order_id'>;

function byOrderId(a: Placed, b: Placed): number {
  return compareOrders(a.partner_order_id, b.partner_order_id) || b.seq - a.seq;
}

/** Descending, in the order of the bytes, as the databases compare. */
function compareOrders(a: string, b: string): number {
  return Buffer.compare(Buffer.from(b), Buffer.from(a));
}

/** Undefined if nothing can match. */
async function pick(
  db: Kysely<Schema>,
  search: DeliverySearch,
  limit: number,
): Promise<Picked | undefined> {
  if (search.seqs?.length === 0) return undefined;
  const span = await seqSpanOf(db, search);
  const tables = tablesOf(search);
  const parts: Picked[] = [];
  const { beforeSeq, beforeOrderId } = search;
  for (const table of tables) {
    const factsFirst = table !== 'delivery' && (await beginsWithFacts(db, search, table));
    const seqColumn = factsFirst ? 'delivery.seq' : `${table}.seq`;
    let part = matching(
      await from(db, table, search, factsFirst),
      search,
      span,
      seqColumn,
    ) as Picked;
    const seq = sql.ref<number>(seqColumn);
    const order = sql.ref<string>('delivery.partner_order_id');
    if (beforeSeq !== undefined && beforeOrderId !== undefined) {
      part = part.where(sql<boolean>`(${order}, ${seq}) < (${beforeOrderId}, ${beforeSeq})`);
    } else if (beforeSeq !== undefined) {
      part = bounded(part, search, seqColumn, '<', beforeSeq);
    }
    if (isByOrderId(search)) part = part.orderBy(order, 'desc');
    parts.push(part.orderBy(seq, 'desc').limit(limit));
  }
  return parts.length < 2 ? parts[0] : merged(db, parts, search, limit);
}

/** The first of several lists together. One statement, so that a delivery between two tables is not lost. */
function merged(
  db: Kysely<Schema>,
  [first, ...others]: Picked[],
  search: DeliverySearch,
  limit: number,
): Picked {
  const order = isByOrderId(search) ? sql<string>`delivery.partner_order_id` : sql<string>`''`;
  const rowsOf = (part: Picked, n: number) =>
    db
      .selectFrom(part.select(order.as('partner_order_id')).as(`part_${n}`))
      .select([`part_${n}.seq`, `part_${n}.partner_order_id`]);
  let all = rowsOf(first as Picked, 0);
  for (const [n, part] of others.entries()) all = all.unionAll(rowsOf(part, n + 1));
  let together = db.selectFrom(all.as('together')).select('together.seq');
  if (isByOrderId(search)) together = together.orderBy('together.partner_order_id', 'desc');
  return picked(together.orderBy('together.seq', 'desc').limit(limit));
}

/** From any tables: what is asked of it afterwards names its columns in SQL. */
// biome-ignore lint/suspicious/noExplicitAny: as in `Picked`.
function picked(query: SelectQueryBuilder<any, any, { seq: number }>): Picked {
  return query;
}

/** The tables that hold the deliveries of a state, or with a last attempt that ended as asked. */
function tablesOf(search: DeliverySearch): Table[] {
  const { state, only, failure_code, status_class } = search;
  const byResult = failure_code !== undefined || status_class !== undefined;
  if (only === 'unacknowledged' && state !== undefined && state !== 'exhausted') return [];
  if (only === 'unacknowledged' || isGivenUp(state)) return ['given_up'];
  switch (state) {
    case 'pending':
      return ['pending'];
    case 'unrouted':
      return byResult ? [] : ['delivery'];
    case 'delivered':
      return canBeDelivered(search) && only !== 'undelivered' ? ['delivery'] : [];
    default:
      if (only === 'undelivered') {
        return byResult ? ['pending', 'given_up'] : ['pending', 'given_up', 'delivery'];
      }
      if (!byResult) return ['delivery'];
      return canBeDelivered(search) ? ['delivery', 'pending', 'given_up'] : ['pending', 'given_up'];
  }
}

async function from(
  db: Kysely<Schema>,
  table: Table,
  search: DeliverySearch,
  factsFirst: boolean,
): Promise<Picked> {
  const { state, only, midoffice_id, failure_code, status_class } = search;
  const byResult = failure_code !== undefined || status_class !== undefined;
  if (table === 'delivery') {
    let facts: Picked = db.selectFrom('delivery').select('delivery.seq');
    if (midoffice_id !== undefined) {
      facts = ofDelivery(facts, search, 'midoffice_id', midoffice_id) as Picked;
    }
    if (state === 'unrouted' || only === 'undelivered') return facts.where(isUnrouted());
    if (state === undefined && !byResult) return facts;
    return facts
      .where('delivery.midoffice_id', 'is not', null)
      .where(isNotIn('pending'))
      .where(isNotIn('given_up'));
  }
  // SQLite joins a cross join in the order given.
  const joined = factsFirst
    ? db.selectFrom('delivery').crossJoin(table)
    : db.selectFrom(table).crossJoin('delivery');
  let rows =
    factsFirst || asksForFacts(search)
      ? picked(joined.select('delivery.seq')).where(
          sql<boolean>`delivery.seq = ${sql.ref(`${table}.seq`)}`,
        )
      : picked(db.selectFrom(table).select(`${table}.seq`));
  if (factsFirst && search.partner_id !== undefined) rows = sinceOldestIn(db, table, rows);
  if (byResult) rows = rows.where(endedAs(table, search));
  if (table === 'given_up' && only === 'unacknowledged') {
    rows = rows.where(isUnacknowledged());
  } else if (table === 'given_up' && state !== undefined) {
    rows = rows.where(sql.ref('given_up.state'), '=', state);
  }
  if (midoffice_id === undefined) return rows;
  if (table === 'given_up' || factsFirst) {
    return rows.where(sql.ref(`${table}.midoffice_id`), '=', midoffice_id);
  }
  return (await pendingOfMidoffice(db, midoffice_id))(rows);
}
