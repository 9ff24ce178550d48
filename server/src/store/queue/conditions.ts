/** Conditions on a delivery that several queries share. A delivery's state is the table it is found in. */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../schema.ts';

const { and, eb, exists, not, selectFrom } = expressionBuilder<Schema, 'delivery'>();

/**
 * Looked up for one delivery after another, whatever PostgreSQL's statistics say: without an offset it may read the whole
 * table instead, which is a million rows in a backlog.
 */
export function isNotIn(table: 'pending' | 'given_up'): Expression<SqlBool> {
  const found = selectFrom(table)
    .select(`${table}.seq`)
    .whereRef(`${table}.seq`, '=', 'delivery.seq');
  return not(exists(found.limit(sql.lit(1)).offset(sql.lit(0))));
}

/** Waits for a midoffice, and is not cancelled. Both columns are those of its index. */
export function isUnrouted(): Expression<SqlBool> {
  return and([
    eb('delivery.midoffice_id', 'is', null),
    eb('delivery.cancelled_unrouted', 'is', null),
  ]);
}

/**
 * Exhausted, and nobody has looked after it. Spelt as in the partial indexes, which a parameter could not use. An expression in
 * place of the column, because SQLite without statistics would take an index of the state instead, and read everything that
 * was ever exhausted.
 */
export function isUnacknowledged(): Expression<SqlBool> {
  return sql<SqlBool>`given_up.state || '' = 'exhausted' and given_up.acknowledged_at is null`;
}

/** Accepted in this span, both ends included. */
export function acceptedBetween(sinceMs: number, untilMs: number): Expression<SqlBool> {
  return and([
    eb('delivery.accepted_at', '>=', sinceMs),
    eb('delivery.accepted_at', '<=', untilMs),
  ]);
}

/** Neither given up nor attempted at this time or later. */
export function isUntouchedSince(ms: number): Expression<SqlBool> {
  const givenUp = selectFrom('given_up')
    .select('given_up.seq')
    .whereRef('given_up.seq', '=', 'delivery.seq')
    .where('given_up.at', '>=', ms);
  const attempted = selectFrom('attempt')
    .select('attempt.number')
    .whereRef('attempt.delivery_seq', '=', 'delivery.seq')
    .where('attempt.started_at', '>=', ms);
  return and([not(exists(givenUp)), not(exists(attempted))]);
}
