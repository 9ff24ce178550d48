/** What support can search deliveries by, and the conditions that follow from it. */

import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import { type DeliveryState, isGivenUp } from '../../delivery/states.ts';
import type { DeliveryRow, Schema } from '../schema.ts';
import type { ResultSearch } from './last-result.ts';

/** Rows are numbered in the order of acceptance, on nodes whose clocks differ by less than this. */
const CLOCK_SKEW_MS = 60_000;

/** So few rows can be sorted for a page. More are read in the order of an index. */
const FEW = 1_000;

/** Finding out whether there are more takes a millisecond. */
const MANY = 10_000;

/** The longest order id has 256 characters, and this is the highest one. */
const HIGHEST_ENDING = '\u{10ffff}'.repeat(256);

type Facts = Partial<Pick<DeliveryRow, 'partner_id' | 'partner_order_id' | 'type'>>;

export const remaining = ['undelivered', 'unacknowledged'] as const;
export type Remaining = (typeof remaining)[number];

export interface DeliverySearch extends ResultSearch, Facts {
  state?: DeliveryState | undefined;
  /** Leaves out what needs nobody: what was delivered, or also what waits, was cancelled or acknowledged. */
  only?: Remaining | undefined;
  midoffice_id?: string | undefined;
  /** The beginning of the order id. */
  partner_order_id_prefix?: string | undefined;
  /** When it was accepted, both ends included. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  /** Only those after this one in the list: accepted before it, unless `beforeOrderId` says more. */
  beforeSeq?: number | undefined;
  /** The order id of that one, where the list is in the order of the ids. */
  beforeOrderId?: string | undefined;
  /** Only these. */
  seqs?: readonly number[] | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: deliveries can be picked from any tables.
type Query<Row> = SelectQueryBuilder<Schema, any, Row>;

/** A span of sequence numbers that contains everything the search can find. Every index can use it. */
export interface SeqSpan {
  first?: number;
  last?: number;
}

export async function seqSpanOf(
  db: Kysely<Schema>,
  { sinceMs, untilMs, state }: DeliverySearch,
): Promise<SeqSpan> {
  const lasts: number[] = [];
  if (untilMs !== undefined) lasts.push(await lastUntil(db, untilMs));
  if (state === 'delivered') lasts.push(await newestSent(db));
  return {
    ...(sinceMs !== undefined && { first: await firstSince(db, sinceMs) }),
    ...(lasts.length > 0 && { last: Math.min(...lasts) }),
  };
}

/** Spares a look at the deliveries after it, of which none was sent yet: in a backlog they may be a million. */
async function newestSent(db: Kysely<Schema>): Promise<number> {
  const { seq } = await db
    .selectFrom('attempt')
    .select((of) => of.fn.max('attempt.delivery_seq').as('seq'))
    .executeTakeFirstOrThrow();
  return seq ?? 0;
}

/** The conditions on the accepted event, which is joined as `delivery`. */
export function matching<Row>(
  query: Query<Row>,
  search: DeliverySearch,
  { first, last }: SeqSpan,
  seqColumn: string,
): Query<Row> {
  const seq = sql.ref<number>(seqColumn);
  let matched = query;
  if (search.seqs !== undefined) matched = matched.where(seq, 'in', search.seqs);
  if (search.partner_id !== undefined) {
    matched = ofDelivery(matched, search, 'partner_id', search.partner_id);
  }
  if (search.partner_order_id !== undefined) {
    matched = matched.where('delivery.partner_order_id', '=', search.partner_order_id);
  }
  if (search.partner_order_id_prefix !== undefined) {
    matched = startingWith(matched, search.partner_order_id_prefix);
  }
  if (search.type !== undefined) {
    // Written out: a parameter could not use the indexes of single types.
    matched = matched.where('delivery.type', '=', sql.lit(search.type));
  }
  if (search.sinceMs !== undefined) {
    matched = matched.where('delivery.accepted_at', '>=', search.sinceMs);
  }
  if (search.untilMs !== undefined) {
    matched = matched.where('delivery.accepted_at', '<=', search.untilMs);
  }
  if (first !== undefined) matched = bounded(matched, search, seqColumn, '>=', first);
  if (last !== undefined) matched = bounded(matched, search, seqColumn, '<=', last);
  return matched;
}

/**
 * A condition on a column that has an index. An order has few deliveries, and its own index finds them, so beside an order no
 * other index may serve: SQLite without statistics takes that of the partner, and reads everything that the partner has.
 */
export function ofDelivery<Row>(
  query: Query<Row>,
  { partner_order_id }: DeliverySearch,
  column: 'partner_id' | 'midoffice_id',
  value: string,
): Query<Row> {
  const indexed = sql.ref<string>(`delivery.${column}`);
  return query.where(partner_order_id === undefined ? indexed : sql`${indexed} || ''`, '=', value);
}

/**
 * Sets a bound for both tables of a join: PostgreSQL does not conclude from the join that it holds for the other, and
 * would read all newer deliveries.
 */
export function bounded<Row>(
  query: Query<Row>,
  search: DeliverySearch,
  seqColumn: string,
  operator: '<' | '<=' | '>=',
  seq: number,
): Query<Row> {
  const joined = asksForFacts(search) ? [seqColumn, 'delivery.seq'] : [seqColumn];
  let within = query;
  for (const column of new Set(joined)) {
    within = within.where(sql.ref<number>(column), operator, seq);
  }
  return within;
}

/** A span of the index of order ids, whose order both engines take from the bytes. */
function startingWith<Row>(query: Query<Row>, prefix: string): Query<Row> {
  return query
    .where('delivery.partner_order_id', '>=', prefix)
    .where('delivery.partner_order_id', '<=', prefix + HIGHEST_ENDING);
}

/** The tables that hold the deliveries of a state. */
export type StateTable = 'pending' | 'given_up';

/**
 * Whether it is best to begin with the accepted events that the search names, and to look up their states. Otherwise
 * it is best to begin with the table of the state.
 */
export async function beginsWithFacts(
  db: Kysely<Schema>,
  search: DeliverySearch,
  table: StateTable,
): Promise<boolean> {
  if (search.partner_order_id !== undefined || search.seqs !== undefined) return true;
  if (search.partner_order_id_prefix !== undefined) {
    const facts = db.selectFrom('delivery').select('delivery.seq');
    if (await isShort(startingWith(facts, search.partner_order_id_prefix))) return true;
    // Many have this beginning. All of the state would have to be sorted, so they must be few. If they are not, the
    // index of order ids soon comes across some: sorting 180,000 took 5 s.
    return !(await isShort(inState(db, search, table)));
  }
  if (search.partner_id === undefined) return false;
  // A partner's deliveries have an index, but not in the table of the state. The shorter way is the better one.
  const { partner_id } = search;
  const ofPartner = db
    .selectFrom('delivery')
    .select('delivery.seq')
    .where('partner_id', '=', partner_id);
  for (const rows of [FEW, MANY]) {
    if (await isShort(inState(db, search, table), rows)) return false;
    if (await isShort(sinceOldestIn(db, table, ofPartner), rows)) return true;
  }
  // What is pending is not old. What was given up may be, and has a small part in all deliveries.
  return table === 'pending';
}

function inState(
  db: Kysely<Schema>,
  { state }: DeliverySearch,
  table: StateTable,
): Query<{ seq: number }> {
  if (table === 'pending') return db.selectFrom('pending').select('pending.seq');
  const givenUp = db.selectFrom('given_up').select('given_up.seq');
  return isGivenUp(state) ? givenUp.where('given_up.state', '=', state) : givenUp;
}

/** Spares a look at all earlier deliveries, none of which is in the table. */
export function sinceOldestIn<Row>(
  db: Kysely<Schema>,
  table: StateTable,
  query: Query<Row>,
): Query<Row> {
  const oldest = db.selectFrom(table).select((of) => of.fn.min(`${table}.seq`).as('seq'));
  return query.where('delivery.seq', '>=', oldest);
}

/** Whether a condition is on the accepted event. Otherwise the table of the state is enough. */
export function asksForFacts(search: DeliverySearch): boolean {
  const { partner_id, partner_order_id, partner_order_id_prefix, type, sinceMs, untilMs } = search;
  const facts = [partner_id, partner_order_id, partner_order_id_prefix, type, sinceMs, untilMs];
  return facts.some((fact) => fact !== undefined);
}

/**
 * Pending deliveries of a midoffice have no index in the order of acceptance. A few of them are sorted. Of many,
 * the index would be of no use: the queue is read in order, and most of it belongs to the midoffice.
 */
export async function pendingOfMidoffice(
  db: Kysely<Schema>,
  midofficeId: string,
): Promise<(query: Query<{ seq: number }>) => Query<{ seq: number }>> {
  const indexed = (query: Query<{ seq: number }>) =>
    query
      .where('pending.shard', '=', shardOf(midofficeId))
      .where('pending.midoffice_id', '=', midofficeId);
  if (await isShort(indexed(db.selectFrom('pending').select('pending.seq')))) return indexed;
  // Without the shard, no index matches.
  return (query) => query.where('pending.midoffice_id', '=', midofficeId);
}

async function isShort(query: Query<{ seq: number }>, rows = FEW): Promise<boolean> {
  return (await query.offset(rows).limit(1).executeTakeFirst()) === undefined;
}

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
