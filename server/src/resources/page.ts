/**
 * Lists come a page at a time, newest first by default. The cursor is the position of the last row of a page: a number
 * and an id, or a text and an id. Its form is so plain that a pattern in the OpenAPI document can say all of it.
 */
import type { Position, Slice } from '../store/slice.ts';
import { invalidField, type Problem } from './problem.ts';

export const DEFAULT_PAGE = 50;
export const LARGEST_PAGE = 200;
/** The longest name or order id in base64, and an id. */
export const LONGEST_CURSOR = 2_000;

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

export type SortedBy = 'number' | 'text';

const forms: Record<SortedBy, RegExp> = {
  number: /^(-?[0-9]{1,16})-([A-Za-z0-9_-]{1,64})$/,
  text: /^([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]{1,64})$/,
};
export const BY_NUMBER = forms.number.source;
export const BY_NUMBER_OR_TEXT = `${forms.number.source}|${forms.text.source}`;

export function writeCursor([value, id]: Position): string {
  return typeof value === 'number' ? `${value}-${id}` : `${encodeText(value)}.${id}`;
}

export function readCursor(text: string, sortedBy: SortedBy = 'number'): Position {
  const [, value, id] = forms[sortedBy].exec(text) ?? [];
  if (value === undefined || id === undefined) throw badCursor();
  return [sortedBy === 'number' ? safeInteger(value) : decodeText(value), id];
}

export function encodeText(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Without NUL, which PostgreSQL rejects. Only a cursor that somebody made up has one. */
export function decodeText(encoded: string): string {
  return Buffer.from(encoded, 'base64url').toString('utf8').replaceAll('\0', '');
}

function safeInteger(digits: string): number {
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
  // Plus zero, because minus zero would not be written as it was.
  return Math.min(Math.max(Number(digits), MIN_SAFE_INTEGER), MAX_SAFE_INTEGER) + 0;
}

export function badCursor(): Problem {
  return invalidField('cursor', 'must be the next_cursor of an earlier reply');
}
