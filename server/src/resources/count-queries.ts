/** Counts for lists: exact up to a bound, then "more than". */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';

/** Counting stops here, so that a long list costs no more than a medium one. This many takes a few milliseconds. */
export const MOST_COUNTED = 20_000;

/** At most `MOST_COUNTED` + 1, which means that there are more. */
export async function countRows(
  // biome-ignore lint/suspicious/noExplicitAny: rows of any database can be counted.
  db: Kysely<any>,
  // biome-ignore lint/suspicious/noExplicitAny: and of any table.
  query: SelectQueryBuilder<any, any, object>,
): Promise<number> {
  const bounded = query.select(sql<number>`1`.as('one')).limit(MOST_COUNTED + 1);
  const { count } = await db
    .selectFrom(bounded.as('counted'))
    .select((select) => select.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  // PostgreSQL returns counts as text.
  return Number(count);
}

export interface ShownCount {
  count: number;
  /** False if there are more than `count`. */
  is_exact: boolean;
}

/** `counted` may be more than the bound. */
export function showCount(counted: number): ShownCount {
  return { count: Math.min(counted, MOST_COUNTED), is_exact: counted <= MOST_COUNTED };
}
