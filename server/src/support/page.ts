/** Lists come a page at a time, newest first by default. The cursor is the position of the last row of a page. */
import type { Position, Slice } from '../store/records/page.ts';
import { invalidField } from './input.ts';
import type { Problem } from './problem.ts';

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

export async function pageOf<Row, Shown>(
  request: PageRequest,
  list: {
    read(slice: Slice): Promise<readonly Row[]>;
    positionOf(row: NoInfer<Row>): Position;
    show(row: NoInfer<Row>): Shown;
    ascending?: boolean;
    /** Whether positions are times or texts. */
    sortedBy?: SortedBy;
  },
): Promise<Page<Shown>> {
  const limit = request.limit ?? DEFAULT_PAGE;
  const { ascending = false, sortedBy = 'number' } = list;
  const after = request.cursor === undefined ? undefined : readCursor(request.cursor, sortedBy);
  // The row after the page tells whether another page follows.
  const rows = await list.read({ limit: limit + 1, after, ascending });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items: items.map(list.show),
    next_cursor: rows.length > limit && last ? writeCursor(list.positionOf(last)) : null,
  };
}

export function writeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

export type SortedBy = 'number' | 'text';

export function readCursor(text: string, sortedBy: SortedBy = 'number'): Position {
  try {
    const [value, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const fits = sortedBy === 'number' ? Number.isSafeInteger(value) : isStorable(value);
    if (fits && isStorable(id)) return [value, id];
  } catch {
    // Every bad cursor gets the same answer.
  }
  throw badCursor();
}

/** PostgreSQL rejects NUL. */
function isStorable(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0');
}

export function badCursor(): Problem {
  return invalidField('cursor', 'must be the next_cursor of an earlier reply');
}
