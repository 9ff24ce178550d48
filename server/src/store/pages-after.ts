/**
 * Reads rows a page at a time, each page after the last row of the one before, until a page is not full. Other work of
 * the thread runs between two pages: an embedded database answers at once, so nothing else would let it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

export async function* pagesAfter<Row, Key>(
  { first, size, keyOf }: { first: Key; size: number; keyOf: (row: Row) => Key },
  read: (after: Key) => readonly Row[] | Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ; ) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    after = keyOf(last);
    await nextTurn();
  }
}
