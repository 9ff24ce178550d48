/**
 * Lists are read a slice at a time. A slice starts after the position of the last row that the caller has seen,
 * so an index on the two columns makes every slice as fast as the first.
 */
import { type Expression, type SelectQueryBuilder, sql } from 'kysely';

/** Where a row is in its list: what the list is sorted by, usually a time, and the id among equal ones. */
export type Position = readonly [value: number | string, id: string];

export interface Slice {
  limit: number;
  /** The slice starts after this position, or at the beginning. */
  after?: Position | undefined;
  /** Oldest first, or from A to Z. Otherwise the other way round. */
  ascending?: boolean | undefined;
}

/** `time` and `id` are the columns of the position. */
export async function readNewest<Tables, Row extends object>(
  // biome-ignore lint/suspicious/noExplicitAny: any table, joined or not, can be listed.
  query: SelectQueryBuilder<Tables, any, Row>,
  { limit, after, ascending = false }: Slice,
  columns: { time: string; id: string },
): Promise<Row[]> {
  const time = sql.ref(columns.time);
  const id = sql.ref(columns.id);
  const direction = ascending ? 'asc' : 'desc';
  const follows = ascending ? sql`>` : sql`<`;
  let slice = query;
  if (after) {
    slice = slice.where(sql<boolean>`(${time}, ${id}) ${follows} (${after[0]}, ${after[1]})`);
  }
  return slice.orderBy(time, direction).orderBy(id, direction).limit(limit).execute();
}

/**
 * The same for a list that is sorted by an expression. SQLite does not find a pair of an expression and a column in
 * an index, so the rows with the same value and those that follow are two queries.
 */
export async function readSorted<Tables, Row extends object>(
  // biome-ignore lint/suspicious/noExplicitAny: any table, joined or not, can be listed.
  query: SelectQueryBuilder<Tables, any, Row>,
  { limit, after, ascending = false }: Slice,
  { by, id: idColumn }: { by: Expression<unknown>; id: string },
): Promise<Row[]> {
  const id = sql.ref(idColumn);
  const direction = ascending ? 'asc' : 'desc';
  const follows = ascending ? sql`>` : sql`<`;
  const inOrder = query.orderBy(by, direction).orderBy(id, direction);
  if (!after) return inOrder.limit(limit).execute();
  const [value, lastId] = after;
  const same = await query
    .where(sql<boolean>`${by} = ${value} and ${id} ${follows} ${lastId}`)
    .orderBy(id, direction)
    .limit(limit)
    .execute();
  if (same.length === limit) return same;
  const others = await inOrder
    .where(sql<boolean>`${by} ${follows} ${value}`)
    .limit(limit - same.length)
    .execute();
  return [...same, ...others];
}
