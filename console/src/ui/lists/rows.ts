/**
 * Moves the focus from row to row, in tables and lists alike. What gets it is the row's own link, so Enter opens the
 * record. The document is asked at each step: lists grow and are sorted while someone walks through them.
 */

const ROW = 'main :is(tbody tr, li)';
const WAY_IN = 'a[href], summary, button:not(:disabled)';

/** The ways into the rows of the page, or of a part of it, that are shown and not inert. */
function waysIn(part: ParentNode): HTMLElement[] {
  const rows = [...part.querySelectorAll<HTMLElement>(ROW)];
  return rows.flatMap((row) => {
    const isPartOfRow = row.parentElement?.closest(ROW) != null;
    const way =
      row.querySelector<HTMLElement>('[data-way-in]') ?? row.querySelector<HTMLElement>(WAY_IN);
    return way && !isPartOfRow && way.checkVisibility() && !way.closest('[inert]') ? [way] : [];
  });
}

/** From the row that has the focus; without one, to the first. */
export function moveInRows(step: 1 | -1): void {
  const ways = waysIn(document);
  const row = document.activeElement?.closest(ROW);
  const at = ways.findIndex((way) => row?.contains(way));
  ways[at === -1 ? 0 : at + step]?.focus();
}

/** Of a page that is a list. */
export function firstRow(): HTMLElement | undefined {
  const list = document.querySelector('[data-list]');
  return list ? waysIn(list)[0] : undefined;
}
