/** Lists come a page at a time, newest first. The cursor is the position of the last row of a page. */
import type { Position, Slice } from '../store/records/page.ts';
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

export async function pageOf<Row, Shown>(
  request: PageRequest,
  list: {
    read(slice: Slice): Promise<readonly Row[]>;
    positionOf(row: Row): Position;
    show(row: Row): Shown;
  },
): Promise<Page<Shown>> {
  const limit = request.limit ?? DEFAULT_PAGE;
  const after = request.cursor === undefined ? undefined : readCursor(request.cursor);
  // The row after the page tells whether another page follows.
  const rows = await list.read({ limit: limit + 1, after });
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

export function readCursor(text: string): Position {
  try {
    const [time, id] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Number.isSafeInteger(time) && typeof id === 'string' && !id.includes('\0'))
      return [time, id];
  } catch {
    // Every bad cursor gets the same answer.
  }
  throw badCursor();
}

export function badCursor(): Problem {
  const detail = 'must be the next_cursor of an earlier reply';
  return new Problem('validation_failed', `cursor ${detail}.`, [{ field: 'cursor', detail }]);
}
