/**
 * How the last attempt of a delivery ended, as one text: the status if the receiver answered (`503`), otherwise
 * the failure code (`timeout`). A reply that was never finished is not an answer, although it has a status. Both
 * engines compare the text byte by byte, so digits come before letters.
 */
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { AttemptRecord } from '../../delivery/attempt.ts';
import type { AttemptFailure } from '../../receiver/failure-codes.ts';

export const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'no_answer'] as const;
export type StatusClass = (typeof statusClasses)[number];

export interface ResultSearch {
  failure_code?: AttemptFailure | undefined;
  status_class?: StatusClass | undefined;
}

/** Failure codes begin with a letter, statuses with a digit. */
const FIRST_LETTER = 'a';

export function resultOf({
  status_code,
  failure_code,
}: Pick<AttemptRecord, 'status_code' | 'failure_code'>): string {
  if (failure_code !== null && failure_code !== 'status') return failure_code;
  return status_code === null ? 'unknown' : String(status_code);
}

/** The same in SQL, for the delivery in `delivery`. */
export const LAST_RESULT: RawBuilder<string | null> = sql`(
  select case when attempt.failure_code <> 'status' then attempt.failure_code
              else coalesce(cast(attempt.status_code as text), 'unknown') end
    from attempt where attempt.delivery_seq = delivery.seq order by attempt.number desc limit 1)`;

/** Whether a delivery whose last attempt was accepted by the receiver can match. */
export function canBeDelivered({ failure_code, status_class }: ResultSearch): boolean {
  return failure_code === undefined && (status_class === undefined || status_class === '2xx');
}

/** On a row of `pending` or `given_up`. */
export function endedAs(
  table: 'pending' | 'given_up',
  { failure_code, status_class }: ResultSearch,
): Expression<SqlBool> {
  const { and, eb, or } = expressionBuilder<{ row: { last_result: string | null } }, 'row'>();
  const result = sql.ref<string>(`${table}.last_result`);
  const conditions: Expression<SqlBool>[] = [];
  const between = (from: string, to: string) => and([eb(result, '>=', from), eb(result, '<', to)]);
  if (failure_code === 'status') {
    conditions.push(or([eb(result, '<', '200'), between('300', FIRST_LETTER)]));
  } else if (failure_code !== undefined) {
    conditions.push(eb(result, '=', failure_code));
  }
  if (status_class === 'no_answer') {
    conditions.push(eb(result, '>=', FIRST_LETTER));
  } else if (status_class !== undefined) {
    const hundreds = Number(status_class[0]);
    conditions.push(between(`${hundreds}00`, `${hundreds + 1}00`));
  }
  return and(conditions);
}
