/**
 * Lists are read newest first, a slice at a time. A slice starts after the position of the last row that
 * the caller has seen, so an index on the two columns makes every slice as fast as the first.
 */
import { type SelectQueryBuilder, sql } from 'kysely';

/** Where a row is in its list. The id decides between rows with the same time. */
export type Position = readonly [timeMs: number, id: string];

export interface Slice {
  limit: number;
  /** The slice starts after this position, or with the newest row. */
  after?: Position | undefined;
}

/** `time` and `id` are the columns of the position. */
export async function readNewest<Tables, Row extends object>(
  // biome-ignore lint/suspicious/noExplicitAny: any table, joined or not, can be listed.
  query: SelectQueryBuilder<Tables, any, Row>,
  { limit, after }: Slice,
  columns: { time: string; id: string },
): Promise<Row[]> {
  const time = sql.ref(columns.time);
  const id = sql.ref(columns.id);
  let slice = query;
  if (after) slice = slice.where(sql<boolean>`(${time}, ${id}) < (${after[0]}, ${after[1]})`);
  return slice.orderBy(time, 'desc').orderBy(id, 'desc').limit(limit).execute();
}
