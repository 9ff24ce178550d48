/** Lists come a page at a time, newest first, by keyset: the cursor names the last row seen. */
import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { Problem } from './problem.ts';

export const DEFAULT_PAGE = 50;
export const LARGEST_PAGE = 200;

export interface PageRequest {
  /** 1 to `LARGEST_PAGE`. */
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** Where a row stands in its list. */
type Position<Row> = (row: Row) => [time: number, id: string];

/**
 * Runs `query` for one page. `time` and `id` are columns that together order the rows; an index on
 * them (or on filters followed by them) keeps every page as fast as the first.
 */
export async function pageOf<Tables, Row extends object>(
  // biome-ignore lint/suspicious/noExplicitAny: any table, joined or not, can be listed.
  query: SelectQueryBuilder<Tables, any, Row>,
  request: PageRequest,
  order: { time: string; id: string; of: Position<Row> },
): Promise<Page<Row>> {
  const limit = request.limit ?? DEFAULT_PAGE;
  let page = query;
  if (request.cursor !== undefined) {
    const [time, id] = readCursor(request.cursor);
    page = page.where(
      sql<boolean>`(${sql.ref(order.time)}, ${sql.ref(order.id)}) < (${time}, ${id})`,
    );
  }
  const rows = await page
    .orderBy(sql.ref(order.time), 'desc')
    .orderBy(sql.ref(order.id), 'desc')
    .limit(limit + 1)
    .execute();
  return cutPage(rows, limit, order.of);
}

/** One page of lists that are kept apart, from the same page of each. */
export function mergePages<Row extends object>(
  pages: readonly Page<Row>[],
  request: PageRequest,
  of: Position<Row>,
): Page<Row> {
  const limit = request.limit ?? DEFAULT_PAGE;
  const rows = pages.flatMap(({ items }) => items).sort((a, b) => newestFirst(of(a), of(b)));
  const page = cutPage(rows, limit, of);
  const isLast = pages.every(({ next_cursor }) => next_cursor === null);
  // A list that goes on has filled its page, so the merged one is full as well.
  const last = page.items.at(-1);
  return isLast || !last ? page : { ...page, next_cursor: writeCursor(of(last)) };
}

function cutPage<Row>(rows: readonly Row[], limit: number, of: Position<Row>): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next_cursor: rows.length > limit && last ? writeCursor(of(last)) : null };
}

function newestFirst([timeA, idA]: [number, string], [timeB, idB]: [number, string]): number {
  return timeB - timeA || (idA < idB ? 1 : -1);
}

export function writeCursor(position: [number, string]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

export function readCursor(text: string): [number, string] {
  try {
    const [time, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Number.isSafeInteger(time) && typeof id === 'string' && !id.includes('\0'))
      return [time, id];
  } catch {
    // Falls through to the same answer as any other bad cursor.
  }
  const detail = 'must be the next_cursor of an earlier reply';
  throw new Problem('validation_failed', `cursor ${detail}.`, [{ field: 'cursor', detail }]);
}
