/**
 * Works through many rows a page at a time. Other work of the thread runs between two pages: an embedded database
 * answers at once, so nothing else would let it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The first page, and each that follows from the one before, until there is none. */
export async function* followPages<Page>(
  first: Page,
  next: (page: Page) => Promise<Page> | Page | undefined,
): AsyncGenerator<Page> {
  for (let page: Page | undefined = first; page !== undefined; page = await next(page)) {
    yield page;
    await nextTurn();
  }
}

/** Reads at most `size` rows after the last one of the page before, until a page is not full. */
export async function* readPages<Row>(
  size: number,
  read: (last: Row | undefined, size: number) => Promise<readonly Row[]> | readonly Row[],
): AsyncGenerator<readonly Row[]> {
  const pages = followPages(await read(undefined, size), (rows) =>
    rows.length < size ? undefined : read(rows.at(-1), size),
  );
  for await (const rows of pages) if (rows.length > 0) yield rows;
}

/** A stream of rows as pages of `size`. The last one may have fewer. */
export async function* inPages<Row>(
  size: number,
  rows: Iterable<Row> | AsyncIterable<Row>,
): AsyncGenerator<readonly Row[]> {
  let page: Row[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
